import type { SandboxClock } from '../clock.ts';
import type { SandboxOptions } from '../options.ts';
import { Refusal } from '../refusals.ts';

/** Status requests per key in a sliding window. */
export class RateLimit {
	private readonly times = new Map<string, number[]>();
	private readonly options: SandboxOptions;
	private readonly clock: SandboxClock;

	constructor(options: SandboxOptions, clock: SandboxClock) {
		this.options = options;
		this.clock = clock;
	}

	clear(): void {
		this.times.clear();
	}

	/** Counts a request; throws "too many requests" when the window is full. */
	take(account: string): void {
		const { statusRateLimit, rateWindowMs, retryAfter } = this.options;
		if (statusRateLimit === 0) return;
		const now = this.clock.now();
		const recent = (this.times.get(account) ?? []).filter((time) => time > now - rateWindowMs);
		this.times.set(account, recent);
		if (recent.length < statusRateLimit) {
			recent.push(now);
			return;
		}
		const freeAt = (recent[0] ?? now) + rateWindowMs;
		const seconds = Math.max(1, Math.ceil((freeAt - now) / 1000));
		const at = (from: number) => new Date(from + seconds * 1000).toUTCString();
		const value = {
			none: undefined,
			seconds: String(seconds),
			date: at(Date.now()),
			list: `${seconds}, ${seconds}`,
			past: at(0),
			words: 'soon',
		}[retryAfter];
		const headers: Record<string, string> = value === undefined ? {} : { 'retry-after': value };
		throw new Refusal(
			'too many requests',
			undefined,
			`At most ${statusRateLimit} requests a minute.`,
			headers,
		);
	}
}

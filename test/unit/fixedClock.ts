import type { Clock } from '../../nodes/PriceCollection/service/time';

/** A clock that moves only with `now`. Pauses return at once; `sleep` takes its real time. */
export function fixedClock(now: () => number = () => 0): Clock {
	return {
		now,
		elapsed: now,
		random: () => 0,
		sleep: async (milliseconds) => {
			await new Promise((resolve) => setTimeout(resolve, milliseconds));
		},
		pause: async () => undefined,
		yieldToEventLoop: async () => undefined,
	};
}

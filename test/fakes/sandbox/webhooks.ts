import type { Job } from './job.ts';
import type { Service } from './service.ts';
import { xmlDocument } from './http/xml.ts';
import { namedJobs } from './naming.ts';

export interface Delivery {
	jobId: string;
	/** 0 for the first copy, then the duplicates. */
	copy: number;
	/** 1 for the first attempt of a copy. */
	attempt: number;
	method: string;
	url: string;
	contentType: string | null;
	body: string;
	/** Time of sending on the sandbox's clock, milliseconds. */
	at: number;
	/** Null while open or if no answer came. */
	status: number | null;
	error: string | null;
}

interface Message {
	url: string;
	contentType: string | null;
	body: string;
}

function messageOf(service: Service, job: Job): Message | null {
	const order = job.request.webhook;
	if (!order) return null;
	const path = `/v2/jobs/${encodeURIComponent(job.id)}/download.${order.format}`;
	const plain = { job_id: job.id, download_url: service.addresses.url + path };
	const fields = namedJobs(plain, service.options) as typeof plain;
	const { webhookEncoding } = service.options;
	if (order.method === 'GET' || webhookEncoding === 'query') {
		const url = new URL(order.url);
		for (const [name, value] of Object.entries(fields)) url.searchParams.append(name, value);
		return { url: url.href, contentType: null, body: '' };
	}
	const xmlOptions = { ...service.options, xmlEncoding: 'utf8' } as const;
	const written = {
		form: () => new URLSearchParams(fields).toString(),
		json: () => JSON.stringify(fields),
		xml: () => xmlDocument('hash', fields, xmlOptions),
	};
	const body = written[webhookEncoding]();
	const type = webhookEncoding === 'form' ? 'x-www-form-urlencoded' : webhookEncoding;
	return { url: order.url, contentType: `application/${type}`, body };
}

/** Calls back when jobs end, and logs every attempt. */
export class Webhooks {
	deliveries: Delivery[] = [];
	private readonly service: () => Service;
	private readonly closing = new AbortController();
	private calls = 0;

	constructor(service: () => Service) {
		this.service = service;
	}

	/** Must be called for every job that ends. */
	jobEnded(job: Job): void {
		const service = this.service();
		const { options, clock } = service;
		if (!job.request.webhook || (job.state === 'cancelled' && !options.webhookForCancelled)) return;
		clock.after(options.webhookDelayMs, () => {
			for (let copy = 0; copy <= options.webhookDuplicates; copy++) {
				const lost = options.webhookLossEvery > 0 && ++this.calls % options.webhookLossEvery === 0;
				if (!lost) void this.deliver(job, copy, 1);
			}
		});
	}

	stop(): void {
		this.closing.abort();
	}

	private async deliver(job: Job, copy: number, attempt: number): Promise<void> {
		const service = this.service();
		const message = messageOf(service, job);
		if (!message || this.closing.signal.aborted) return;
		const method = job.request.webhook?.method ?? 'POST';
		const at = service.clock.now();
		const delivery: Delivery = {
			...{ jobId: job.id, copy, attempt, method, ...message, at },
			...{ status: null, error: null },
		};
		this.deliveries.push(delivery);
		delivery.status = await this.send(delivery);
		const answered = delivery.status !== null && delivery.status >= 200 && delivery.status < 300;
		const { webhookRetries, webhookRetryDelayMs } = service.options;
		if (answered || attempt > webhookRetries) return;
		service.clock.after(webhookRetryDelayMs, () => void this.deliver(job, copy, attempt + 1));
	}

	private async send(delivery: Delivery): Promise<number | null> {
		const timeout = AbortSignal.timeout(this.service().options.webhookTimeoutMs);
		const headers: Record<string, string> = { 'user-agent': 'price-collection-sandbox' };
		if (delivery.contentType !== null) headers['content-type'] = delivery.contentType;
		try {
			const answer = await fetch(delivery.url, {
				method: delivery.method,
				headers,
				body: delivery.contentType === null ? undefined : delivery.body,
				redirect: 'manual',
				signal: AbortSignal.any([timeout, this.closing.signal]),
			});
			await answer.arrayBuffer();
			return answer.status;
		} catch (error) {
			delivery.error = String(error);
			return null;
		}
	}
}

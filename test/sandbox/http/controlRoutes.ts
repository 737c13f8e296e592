import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { FaultRule } from '../faults.ts';
import { inspectJob, resetService } from '../inspection.ts';
import { applyOptions } from '../options.ts';
import type { Service } from '../service.ts';

type ById = FastifyRequest<{ Params: { id: string } }>;

function body<T extends object>(request: FastifyRequest): T {
	return (request.body ?? {}) as T;
}

/** Steering from other processes. Not part of the service: no key, no faults, not logged. */
export function controlRoutes(app: FastifyInstance, service: Service): void {
	app.get('/_sandbox/options', () => service.options);
	app.post('/_sandbox/options', (request) => {
		applyOptions(service.options, body(request));
		return service.options;
	});
	app.get('/_sandbox/faults', () => service.faults.rules);
	app.post('/_sandbox/faults', (request) =>
		[body<FaultRule | FaultRule[]>(request)].flat().map((rule) => service.faults.add(rule)),
	);
	app.delete('/_sandbox/faults', () => {
		service.faults.clear();
		return [];
	});
	app.delete('/_sandbox/faults/:id', (request: ById) => {
		service.faults.remove(request.params.id);
		return service.faults.rules;
	});
	app.get('/_sandbox/jobs', () => service.jobs.list().map((job) => inspectJob(service, job)));
	app.post('/_sandbox/jobs/:id/finish', (request: ById, reply) => {
		const job = service.jobs.find(request.params.id);
		if (!job) return reply.code(404).send({ error: 'There is no such job.' });
		service.jobs.finish(job);
		return reply.send(inspectJob(service, job));
	});
	app.get('/_sandbox/requests', () => service.log.entries);
	app.delete('/_sandbox/requests', () => {
		service.log.clear();
		return [];
	});
	app.get('/_sandbox/deliveries', () => service.webhooks.deliveries);
	app.get('/_sandbox/addresses', () => service.addresses);
	app.post('/_sandbox/advance', (request) => {
		service.clock.advance(Number(body<{ ms?: number }>(request).ms ?? 0));
		return { now: service.clock.now() };
	});
	app.post('/_sandbox/reset', () => {
		resetService(service);
		return { jobs: 0 };
	});
}

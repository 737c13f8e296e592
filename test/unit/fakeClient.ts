import type { IDataObject } from 'n8n-workflow';

import type { Clock } from '../../nodes/PriceCollection/service/time';
import type { ServiceClient } from '../../nodes/PriceCollection/service/api/client';
import {
	type ConnectionSettings,
	type CredentialFields,
	readConnection,
} from '../../nodes/PriceCollection/service/connection';
import type { JobPage } from '../../nodes/PriceCollection/service/api/jobList';
import { type Outcome, success } from '../../nodes/PriceCollection/service/problems';
import { endOf, statusMeaning } from '../../nodes/PriceCollection/service/statuses';
import type { Job } from '../../nodes/PriceCollection/service/types';
import { fixedClock } from './fixedClock';

export function dialectOf(fields: CredentialFields = {}): ConnectionSettings {
	const read = readConnection({ baseUrl: 'https://api.example.test', apiKey: 'KEYKEYKEY', ...fields });
	if (!read.ok) throw new Error(read.problem);
	return read.value;
}

/** What a fake service does. Using anything that is not given fails the test. */
export interface FakeService {
	fields?: CredentialFields;
	create?: (parameters: IDataObject) => Outcome<Job> | Promise<Outcome<Job>>;
	getJob?: (jobId: string) => Outcome<Job>;
	pages?: Job[][];
	/** A page of the list, or just its jobs. */
	list?: (query: IDataObject) => Outcome<Job[] | JobPage>;
	clockAheadMs?: number;
	isOutOfTime?: boolean;
	/** The present, in milliseconds since 1970. */
	now?: () => number;
	pause?: Clock['pause'];
}

const unused = async (): Promise<never> => {
	throw new Error('Not part of this test');
};

/** A client without a network. `asked` records its requests, in order. */
export function fakeClient(service: FakeService): { client: ServiceClient; asked: IDataObject[] } {
	const asked: IDataObject[] = [];
	const { create, getJob, list, pages, clockAheadMs } = service;
	const connection = dialectOf(service.fields);
	const client: ServiceClient = {
		connection,
		isOutOfTime: () => service.isOutOfTime === true,
		endOf: (status) => endOf(status, connection),
		knowsStatus: (status) => statusMeaning(status, connection) !== undefined,
		clock: { ...fixedClock(service.now), ...(service.pause && { pause: service.pause }) },
		serviceTime: (time) => (clockAheadMs === undefined ? undefined : time + clockAheadMs),
		statusDelay: () => 0,
		createJob: async (parameters) => {
			asked.push({ create: parameters });
			return await (create ? create(parameters) : unused());
		},
		listJobs: async (query) => {
			asked.push({ list: query });
			const count = asked.filter((one) => 'list' in one).length;
			const page = list ? list(query) : success(pages?.[count - 1] ?? []);
			if (!page.ok) return page;
			return success(Array.isArray(page.value) ? { jobs: page.value } : page.value);
		},
		getJob: async (jobId) => (getJob ? getJob(jobId) : await unused()),
		download: unused,
		storeFile: unused,
		cancelJob: unused,
		getUsage: unused,
	};
	return { client, asked };
}

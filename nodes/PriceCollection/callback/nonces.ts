import { RecentMap } from '../service/recentMap';

/** Nonces remembered; a forgotten one counts as new. */
const MOST_NONCES = 20_000;

/** `used`: a call with it has started the workflow. */
const entries = new RecentMap<string, { jobId: string; used: boolean }>(MOST_NONCES);

/**
 * Which job each signed callback URL belongs to, as far as this process knows: it learns that when it creates the job,
 * else from the first call whose end was stored. Beyond the process, and for URLs that others have signed, a URL is
 * bound by its first use.
 */
export const callbackNonces = {
	/** Notes for which job a URL was signed. */
	expect(nonce: string, jobId: string): void {
		entries.set(nonce, { jobId, used: false });
	},

	/** Notes that the end of a job has started the workflow by this URL. */
	use(nonce: string, jobId: string): void {
		entries.set(nonce, { jobId, used: true });
	},

	/** Whether the URL may be used for the job, was used for it already, or belongs to another one. */
	check(nonce: string, jobId: string): 'free' | 'used' | 'otherJob' {
		const entry = entries.get(nonce);
		if (entry !== undefined && entry.jobId !== jobId) return 'otherJob';
		return entry?.used === true ? 'used' : 'free';
	},
};

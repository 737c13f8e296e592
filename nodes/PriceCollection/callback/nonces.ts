import { RecentMap } from '../service/recentMap';

/** Nonces remembered; a forgotten one counts as new. */
const MOST_NONCES = 20_000;

interface Entry {
	jobId: string;
	/** Whether a call with it has started the workflow. */
	used: boolean;
}

/**
 * Which job each signed callback URL belongs to, as far as this process knows: it learns that when it creates the job,
 * else from the first call whose end was stored. Beyond the process, and for URLs that others have signed, a URL is
 * bound by its first use.
 */
export class NonceBook {
	private readonly entries = new RecentMap<string, Entry>(MOST_NONCES);

	/** Notes for which job a URL was signed. */
	expect(nonce: string, jobId: string): void {
		this.entries.set(nonce, { jobId, used: false });
	}

	/** Notes that the end of a job has started the workflow by this URL. */
	use(nonce: string, jobId: string): void {
		this.entries.set(nonce, { jobId, used: true });
	}

	/** Whether the URL may be used for the job, was used for it already, or belongs to another one. */
	check(nonce: string, jobId: string): 'free' | 'used' | 'otherJob' {
		const entry = this.entries.get(nonce);
		if (entry === undefined) return 'free';
		if (entry.jobId !== jobId) return 'otherJob';
		return entry.used ? 'used' : 'free';
	}
}

/** The one book of this process: the node that creates jobs writes into it, the trigger reads it. */
export const callbackNonces = new NonceBook();

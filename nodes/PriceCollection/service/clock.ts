/** Time and randomness. Passed in, so that only the n8n layer reads the machine's clock. */
export interface Clock {
	/** The current time in milliseconds since 1970. */
	now(): number;
	/** A number from 0 up to 1, for jitter. */
	random(): number;
	/** Waits the given milliseconds of real time. */
	sleep(milliseconds: number): Promise<void>;
	/** Waits the given milliseconds, or until `signal` is aborted. Never rejects. */
	pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
	/** Lets n8n's event loop run between two parts of a long computation. */
	yieldToEventLoop(): Promise<void>;
}

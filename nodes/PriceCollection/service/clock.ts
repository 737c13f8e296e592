/** Time and chance. Passed in, so that nothing below n8n's shell reads the clock of the machine by itself. */
export interface Clock {
	/** The present, in milliseconds since 1970. */
	now(): number;
	/** A number from 0 up to 1, for jitter. */
	random(): number;
	/** Waits the given milliseconds of real time. */
	sleep(milliseconds: number): Promise<void>;
	/** Waits the given milliseconds, or less when `signal` is aborted on the way. Never rejects. */
	pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
	/** Lets n8n's event loop handle what has queued up, between two pieces of a long computation. */
	yieldToEventLoop(): Promise<void>;
}

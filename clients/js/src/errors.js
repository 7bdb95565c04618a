// @ts-check
/** An error of this library. */
export class CounterfoilError extends Error {
  /**
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A call that the server rejected, with its problem details (RFC 9457). */
export class AdminError extends CounterfoilError {
  /**
   * @param {string} call
   * @param {number} status
   * @param {{title?: string, detail?: string, errors?: {detail: string}[]}} problem
   */
  constructor(call, status, problem) {
    super(`${call}: ${status} ${problem.title ?? ''}: ${problem.detail ?? ''}`);
    this.call = call;
    this.status = status;
    this.title = problem.title ?? '';
    this.detail = problem.detail ?? '';
    // Another server, such as a gateway before this one, may have any value there.
    const errors = Array.isArray(problem.errors) ? problem.errors : [];
    this.details = errors.filter((error) => typeof error?.detail === 'string').map((error) => error.detail);
    this.place = this.details.length > 0 ? this.details[0].split(': ', 1)[0] : null;
  }
}

/** A server that could not be reached, or did not respond in time. */
export class UnreachableError extends CounterfoilError {}

/** A server that could not be started. The message has the program's output. */
export class StartError extends CounterfoilError {
  /**
   * @param {string} message
   * @param {boolean} [hasRun]
   */
  constructor(message, hasRun = false) {
    super(message);
    /** Whether the program was found and has run. */
    this.hasRun = hasRun;
  }
}

/** No request matched in time. */
export class NoExchangeError extends CounterfoilError {
  /**
   * @param {string} message
   * @param {import('./index.js').Exchange[]} last
   */
  constructor(message, last) {
    super(message);
    this.last = last;
  }
}

/** The app broke a rule, or of one of the suites no rule was exercised. */
export class ExpectationError extends CounterfoilError {
  /**
   * @param {string} message
   * @param {import('./index.js').Verdict} verdict
   */
  constructor(message, verdict) {
    super(message);
    this.verdict = verdict;
  }
}

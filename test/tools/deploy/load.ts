/** Requests to a deployment while it is updated: a reporter, a reader of the API, and a stranger who opens pages. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { readBack } from './read-back.ts';
import { type Account, replay } from './recording.ts';

export interface Load {
  /** Later requests go to this address. The emulator gives an API another address where AWS keeps it. */
  readonly moveTo: (origin: string) => void;
  /**
   * Ends the load. Throws unless every request got the expected status, and every acknowledged result is there. Returns
   * what was sent.
   */
  readonly stop: () => Promise<string>;
}

/**
 * Routes of the release and of this version, and the status that their requests get. Pages of functions with another
 * name in this version are missing: MiniStack deletes a removed function before the routes change, and AWS afterwards.
 */
const listRequests = ({ recordKey, projectId }: Account, runId: string) => {
  const authorization = `Bearer ${recordKey}`;
  return [
    { path: '/v1/health', headers: {}, status: 200 },
    { path: '/v1/projects', headers: { authorization }, status: 200 },
    { path: `/v1/projects/${projectId}/runs`, headers: { authorization }, status: 200 },
    { path: `/v1/runs/${runId}`, headers: { authorization }, status: 200 },
    { path: '/v1/projects', headers: {}, status: 401 },
    { path: '/sign-in', headers: { accept: 'text/html' }, status: 200 },
  ];
};

/**
 * MiniStack ends the process of a function that is updated while a call runs, and says so in its log or in the answer.
 * AWS lets the call end.
 */
const ENDED_WORKER = /Warm worker execution error|Worker process died/;
const REPEATS = 3;
/** Until the line is in the file. */
const LOG_MILLISECONDS = 1000;

interface Target {
  readonly origin: string;
  readonly account: Account;
  /** A run of the account. */
  readonly runId: string;
  /** The log of MiniStack, or `undefined` if the emulator is another one. */
  readonly log: string | undefined;
}

export async function startLoad({ origin: firstOrigin, account, runId, log }: Target): Promise<Load> {
  let origin = firstOrigin;
  let isStopped = false;
  let sent = 0;
  let repeated = 0;
  const failures: string[] = [];
  const recorded: string[] = [];
  const readLog = async (): Promise<string> => (log === undefined ? '' : readFile(log, 'utf8'));
  /** Repeats a request whose function MiniStack has ended. A fault of the function itself would last. */
  const ask: typeof fetch = async (address, options) => {
    for (let attempt = 1; ; attempt += 1) {
      const { length: logged } = await readLog();
      const answer = await fetch(address, options);
      sent += 1;
      if (answer.status < 500 || attempt > REPEATS) return answer;
      await wait(LOG_MILLISECONDS);
      const reasons = (await answer.clone().text()) + (await readLog()).slice(logged);
      if (!ENDED_WORKER.test(reasons)) return answer;
      repeated += 1;
    }
  };
  const read = async () => {
    for (const { path, headers, status } of listRequests(account, runId)) {
      const answer = await ask(origin + path, { headers, redirect: 'manual' });
      const body = await answer.text();
      if (answer.status !== status)
        failures.push(`${now()} GET ${path}: ${answer.status} instead of ${status}: ${body}`);
    }
  };
  const record = async () => {
    const ciBuildId = `load-${recorded.length}-${Date.now()}`;
    recorded.push(await replay(origin, { ...account, ciBuildId }, ask));
  };
  const repeat = async (act: () => Promise<void>) => {
    while (!isStopped) {
      // A refused request of the reporter ends its run, which then lacks results.
      await act().catch((error: unknown) => failures.push(`${now()} ${error}`));
    }
  };
  const work = Promise.all([repeat(read), repeat(record)]);
  return {
    moveTo: (next) => {
      origin = next;
    },
    stop: async () => {
      isStopped = true;
      await work;
      assert.deepEqual(failures, []);
      assert.ok(recorded.length > 0);
      for (const one of recorded) await readBack(`${origin}/v1`, account, one);
      const ended = `${repeated} repeated because MiniStack ended the function that it updated`;
      return `${recorded.length} runs complete, ${sent} requests, 0 unexpected answers, ${ended}`;
    },
  };
}

const now = (): string => new Date().toISOString();

/** Requests to a deployment while it is updated: a reporter, a reader of the API, and a stranger who opens pages. */
import assert from 'node:assert/strict';
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
 * MiniStack ends the calls of a function that it updates, and most of them leave no trace in its log. AWS lets them end. So
 * a request is repeated once, after this time. A gap in an update lasts longer: until the next stack is updated.
 */
const REPEAT_MILLISECONDS = 1000;

interface Target {
  readonly origin: string;
  readonly account: Account;
  /** A run of the account. */
  readonly runId: string;
}

export async function startLoad({ origin: firstOrigin, account, runId }: Target): Promise<Load> {
  let origin = firstOrigin;
  let isStopped = false;
  let sent = 0;
  let repeated = 0;
  const failures: string[] = [];
  const recorded: string[] = [];
  const ask: typeof fetch = async (address, options) => {
    sent += 1;
    const answer = await fetch(address, options);
    if (answer.status < 500) return answer;
    repeated += 1;
    await wait(REPEAT_MILLISECONDS);
    return fetch(address, options);
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
      const ended = `${repeated} repeated because MiniStack ended their calls`;
      return `${recorded.length} runs complete, ${sent} requests, 0 unexpected answers, ${ended}`;
    },
  };
}

const now = (): string => new Date().toISOString();

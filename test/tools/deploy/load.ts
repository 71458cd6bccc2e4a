/** Requests to a deployment while it is updated: a reporter, a reader of the API, and a stranger who opens pages. */
import assert from 'node:assert/strict';
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

/** Routes of the release and of this version, and the status that their requests get. */
const listRequests = ({ recordKey, projectId }: Account, runId: string) => {
  const authorization = `Bearer ${recordKey}`;
  return [
    { path: '/v1/health', headers: {}, status: 200 },
    { path: '/v1/projects', headers: { authorization }, status: 200 },
    { path: `/v1/projects/${projectId}/runs`, headers: { authorization }, status: 200 },
    { path: `/v1/runs/${runId}`, headers: { authorization }, status: 200 },
    { path: '/v1/projects', headers: {}, status: 401 },
    { path: '/sign-in', headers: { accept: 'text/html' }, status: 200 },
    { path: `/org/${projectId}/runs/${runId}/timeline`, headers: { accept: 'text/html' }, status: 303 },
    { path: '/org/settings/members', headers: { accept: 'text/html' }, status: 303 },
  ];
};

export async function startLoad(firstOrigin: string, account: Account, runId: string): Promise<Load> {
  let origin = firstOrigin;
  let isStopped = false;
  let sent = 0;
  const failures: string[] = [];
  const recorded: string[] = [];
  const read = async () => {
    for (const { path, headers, status } of listRequests(account, runId)) {
      const answer = await fetch(origin + path, { headers, redirect: 'manual' });
      const body = await answer.text();
      sent += 1;
      if (answer.status !== status)
        failures.push(
          `${new Date().toISOString()} GET ${path}: ${answer.status} instead of ${status}: ${body.slice(0, 300)}`,
        );
    }
  };
  const record = async () => {
    recorded.push(await replay(origin, { ...account, ciBuildId: `load-${recorded.length}-${Date.now()}` }));
  };
  const repeat = async (act: () => Promise<void>) => {
    while (!isStopped) {
      // A refused request of the reporter ends its run, which then lacks results.
      await act().catch((error: unknown) => failures.push(`${new Date().toISOString()} ${error}`));
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
      return `${recorded.length} runs complete, ${sent} other requests, 0 unexpected answers`;
    },
  };
}

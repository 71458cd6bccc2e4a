/** Runs that do not end by themselves: cancelled, reset, deleted. */
import * as z from 'zod';
import * as sent from './sent.ts';

type Say = (operationId: string, method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

/** Begins a run that is no example itself; answers its id. */
type Begin = (body: object) => Promise<string>;

const GITHUB = { githubRunId: '9123456789', githubRunAttempt: 1 };

const Begun = z.object({ runId: z.string() });
export const runIdIn = (body: unknown): string => Begun.parse(body).runId;

export async function tellOfEndings(
  say: Say,
  begin: Begin,
  of: { projectId: string; recordKey: string },
): Promise<void> {
  const build = (ciBuildId: string, more: object = {}) => begin({ ...sent.run(of), ciBuildId, ...more });
  const runId = await build('build-1050');
  await say('resetRun', 'PUT', `/runs/${runId}/reset`, { machineId: [sent.claim().machineId] });
  await say('cancelRun', 'PUT', `/runs/${runId}/cancel`);
  await say('deleteRun', 'DELETE', `/runs/${runId}`);
  await build('build-1051', { ci: { params: { ...GITHUB, githubRunAttempt: '1' } } });
  await say('cancelGithubRun', 'PUT', '/runs/cancel-ci/github', GITHUB);
  const ciBuildId = 'build-1052';
  await build(ciBuildId);
  await say('cancelOwnRun', 'POST', '/runs/cancel', { recordKey: of.recordKey, projectId: of.projectId, ciBuildId });
}

/** Records examples of the operations that cancel, reset and delete runs. */
import * as z from 'zod';
import * as sent from './sent.ts';

type Send = (operationId: string, method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

/** Starts a run that is not recorded as an example. Returns its id. */
type Begin = (body: object) => Promise<string>;

const GITHUB = { githubRunId: '9123456789', githubRunAttempt: 1 };

const Begun = z.object({ runId: z.string() });
export const runIdIn = (body: unknown): string => Begun.parse(body).runId;

export async function recordRunEndings(
  request: Send,
  begin: Begin,
  of: { projectId: string; recordKey: string },
): Promise<void> {
  const build = (ciBuildId: string, more: object = {}) => begin({ ...sent.run(of), ciBuildId, ...more });
  const runId = await build('build-1050');
  await request('resetRun', 'PUT', `/runs/${runId}/reset`, { machineId: [sent.claim().machineId] });
  await request('cancelRun', 'PUT', `/runs/${runId}/cancel`);
  await request('deleteRunArtifacts', 'DELETE', `/runs/${runId}/artifacts`);
  await request('deleteRun', 'DELETE', `/runs/${runId}`);
  await build('build-1051', { ci: { params: { ...GITHUB, githubRunAttempt: '1' } } });
  await request('cancelGithubRun', 'PUT', '/runs/cancel-ci/github', GITHUB);
  const ciBuildId = 'build-1052';
  await build(ciBuildId);
  await request('cancelOwnRun', 'POST', '/runs/cancel', {
    recordKey: of.recordKey,
    projectId: of.projectId,
    ciBuildId,
  });
}

/** Finds a run by its address, its id or the id of its CI build. */
import { answerIn, importIn } from './answers.ts';
import type { Given } from './options.ts';
import type { Service } from './service.ts';
import { ciBuild } from './settings/ci-build.ts';
import { CommandFailure } from './settings/failure.ts';

const RUN_ID = /^[0-9a-f]{16}$/;
const RUN_URL = /\/runs\/([0-9a-f]{16})(?:$|[/?#])/;

export async function chosenRunId(service: Service, given: Given): Promise<string> {
  const named = given.operands[0] ?? ciBuild(process.env).ciBuildId;
  if (!named)
    throw new CommandFailure('No run is given', `Name a run: rundown ${given.command} <address, id or CI build id>`);
  const inUrl = RUN_URL.exec(named)?.[1];
  if (inUrl) return inUrl;
  if (RUN_ID.test(named)) return named;
  const query = { projectId: service.project, ciBuildId: named };
  return answerIn(await service.json('/runs/find', { query }), 'runId');
}

const EMPTY_REPORT = new TextEncoder().encode('<testsuites/>');

/** Reads the address of the run's page from the response to an import with `dryRun`, which records nothing. */
export async function runPageUrl(service: Service, runId: string): Promise<string> {
  const ciBuildId = answerIn(await service.json(`/runs/${runId}`), 'meta', 'ciBuildId');
  const path = `/projects/${encodeURIComponent(service.project)}/imports`;
  const query = { ciBuildId, dryRun: 'true' };
  const { runUrl } = importIn(await service.json(path, { method: 'POST', query, body: EMPTY_REPORT }));
  if (runUrl) return runUrl;
  throw new CommandFailure(`The run ${runId} has no page`, 'Check that the run belongs to the project');
}

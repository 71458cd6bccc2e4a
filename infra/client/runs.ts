/** Finds a run by its address, its id or the id of its CI build. */
import { parseAnswerText, parseReceivedImport } from './answers.ts';
import type { CommandLine } from './options.ts';
import type { Service } from './service.ts';
import { readCiBuild } from './settings/ci-build.ts';
import { CommandFailure } from './settings/failure.ts';

const RUN_ID = /^[0-9a-f]{16}$/;
const RUN_URL = /\/runs\/([0-9a-f]{16})(?:$|[/?#])/;

export async function chooseRunId(service: Service, commandLine: CommandLine): Promise<string> {
  const reference = commandLine.operands[0] ?? readCiBuild(process.env).ciBuildId;
  if (!reference)
    throw new CommandFailure(
      'No run is given',
      `Name a run: rundown ${commandLine.command} <address, id or CI build id>`,
    );
  const inUrl = RUN_URL.exec(reference)?.[1];
  if (inUrl) return inUrl;
  if (RUN_ID.test(reference)) return reference;
  const query = { projectId: service.project, ciBuildId: reference };
  return parseAnswerText(await service.json('/runs/find', { query }), 'runId');
}

const EMPTY_REPORT = new TextEncoder().encode('<testsuites/>');

/** Reads the address of the run's page from the response to an import with `dryRun`, which records nothing. */
export async function readRunPageUrl(service: Service, runId: string): Promise<string> {
  const ciBuildId = parseAnswerText(await service.json(`/runs/${runId}`), 'meta', 'ciBuildId');
  const path = `/projects/${encodeURIComponent(service.project)}/imports`;
  const query = { ciBuildId, dryRun: 'true' };
  const { runUrl } = parseReceivedImport(await service.json(path, { method: 'POST', query, body: EMPTY_REPORT }));
  if (runUrl) return runUrl;
  throw new CommandFailure(`The run ${runId} has no page`, 'Check that the run belongs to the project');
}

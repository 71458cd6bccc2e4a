/** Records a past run of the story as a batch upload. Idempotent, so an interrupted recording can be repeated. */
import type { StoryMachine, StoryReport, StoryRun } from '#infra/demo/story/story-run.ts';
import { formatActorName, makePerson } from '#shared/access/actor.ts';
import type { Table } from '#shared/engine/table/table.ts';
import type { Write } from '#shared/engine/table/writes.ts';
import { startImport } from '#shared/imports/start-import.ts';
import { cancelOwnRun } from '#shared/lifecycle/cancel-run.ts';
import { endRun } from '#shared/lifecycle/end-run.ts';
import { noteProblems } from '#shared/lifecycle/note-problems.ts';
import { OUTBOX_PREFIX } from '#shared/model/events/outbox.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { runs } from '#shared/model/runs/run.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import { UploadRunBody } from '#shared/recording/published/batch-wire.ts';
import { uploadRun } from '#shared/recording/published/upload-run.ts';
import type { Services } from '#shared/services.ts';
import { buildMachineBody, sendFile } from './messages.ts';

/** Partition key prefix of the rows that say when a run times out. */
const DUE_RUNS = 'DUE#run#';

/** Receivers must not get events of last month, and the sweep must not time out a past run before its end. */
function dropConsequences(table: Table): Table {
  const transact: Table['transact'] = (writes) => table.transact(writes.filter((write) => !hasConsequence(write)));
  return new Proxy(table, {
    get: (target, name) => {
      if (name === 'transact') return transact;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

function hasConsequence(write: Write): boolean {
  if (write.kind !== 'put') return false;
  const partition = String(write.item['pk']);
  return partition.startsWith(OUTBOX_PREFIX) || partition.startsWith(DUE_RUNS);
}

export interface RecordedPlace {
  readonly organizationId: string;
  readonly projectId: string;
  /** The account that cancels one of the runs. */
  readonly adminAccountId: string;
}

export async function recordRun(services: Services, place: RecordedPlace, run: StoryRun): Promise<void> {
  const { organizationId, projectId } = place;
  let now = run.createdAt;
  // The clock is set back, and writes cause no webhook requests and no timeouts.
  const past = { ...services, now: () => now, table: dropConsequences(services.table) };
  const send = async (machine: StoryMachine, contents: object) => {
    const body = { ...buildMachineBody(run, projectId, machine), ...contents };
    return uploadRun(past, { organizationId, body: UploadRunBody.parse(body), clientVersion: undefined });
  };
  if (run.reports)
    return importReports(past, place, run, run.reports, (at) => {
      now = at;
    });
  const [first] = run.machines;
  if (!first) return;
  const { runId } = await send(first, { fullTestSuite: run.suite });
  for (const machine of run.machines) {
    now = machine.endsAt;
    const { artifactUploadUrls } = await send(machine, { instances: machine.instances });
    await Promise.all(artifactUploadUrls.map(({ path, uploadUrl }) => sendFile(path, uploadUrl)));
  }
  if (run.error !== undefined) await noteError(past, { organizationId, runId }, run.error);
  if (run.special === 'cancelled') {
    const actor = formatActorName(makePerson({ accountId: place.adminAccountId }));
    await cancelOwnRun(past, { organizationId, actor, body: { projectId, ciBuildId: run.ciBuildId, runId: null } });
  }
  if (run.special === 'timed out') {
    now += ORGANIZATION_LIMITS.inactivityTimeoutSeconds.default * 1000;
    await endRun(past, { organizationId, runId }, { ending: 'timeOut' });
  }
}

/** Each job of the build uploads its report when its tests have ended. The last one ends the run. */
async function importReports(
  services: Services,
  { organizationId, projectId }: RecordedPlace,
  { ciBuildId, facts: { commit, ci } }: StoryRun,
  reports: readonly StoryReport[],
  setClock: (at: number) => void,
): Promise<void> {
  for (const [index, { job, name, content, endsAt }] of reports.entries()) {
    setClock(endsAt);
    await startImport(services, {
      organizationId,
      projectId,
      file: new TextEncoder().encode(content),
      options: {
        name,
        ciBuildId,
        job,
        branch: commit.branch,
        sha: commit.sha,
        message: commit.message,
        author: commit.authorName,
        authorEmail: commit.authorEmail,
        repository: commit.remoteOrigin,
        githubRunId: ci.params.githubRunId,
        complete: index === reports.length - 1,
      },
    });
  }
}

async function noteError(services: Services, key: RunKey, message: string): Promise<void> {
  const run = await services.table.get(runs, key, { consistent: true });
  const problems = [{ kind: 'errorOutsideTests', message, file: null }] as const;
  if (run) await noteProblems(services, run, { source: 'story', problems, job: undefined });
}

/** Records a past run of the story as a batch upload. Idempotent, so an interrupted run can be recorded again. */

import { storyPlatform } from '#infra/demo/story/run-facts.ts';
import type { StoryRun } from '#infra/demo/story/story.ts';
import { actorName, person } from '#shared/access/actor.ts';
import type { Table } from '#shared/engine/table/table.ts';
import type { Write } from '#shared/engine/table/writes.ts';
import { cancelOwnRun } from '#shared/lifecycle/cancel-run.ts';
import { endRun } from '#shared/lifecycle/end-run.ts';
import { OUTBOX_PREFIX } from '#shared/model/events/outbox.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import { UploadRunBody } from '#shared/recording/batch-wire.ts';
import { uploadRun } from '#shared/recording/upload-run.ts';
import type { Services } from '#shared/services.ts';
import { sendFile } from './send-file.ts';

/** Partition key prefix of the rows that time out runs. */
const DUE_RUNS = 'DUE#run#';

/** Services with the clock set back, whose writes trigger nothing. */
const inThePast = (services: Services, now: () => number): Services => ({
  ...services,
  now,
  table: withoutConsequences(services.table),
});

/**
 * Drops outbox and time-out rows: webhooks must not send events of last month, and the sweep must not time out a past
 * run between its creation and its end.
 */
function withoutConsequences(table: Table): Table {
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
  /** The account that cancels a run. */
  readonly adminAccountId: string;
}

export async function recordRun(services: Services, place: RecordedPlace, run: StoryRun): Promise<void> {
  const { organizationId, projectId } = place;
  let now = run.createdAt;
  const past = inThePast(services, () => now);
  const send = async (
    { group, machineId }: Pick<StoryRun['machines'][number], 'group' | 'machineId'>,
    more: object,
  ) => {
    const body = { projectId, ...run.facts, group, machineId, ...storyPlatform(group), ...more };
    return uploadRun(past, { organizationId, body: UploadRunBody.parse(body), clientVersion: undefined });
  };
  const [first] = run.machines;
  if (!first) return;
  const { runId } = await send(first, { fullTestSuite: run.suite });
  for (const machine of run.machines) {
    now = machine.endsAt;
    const { artifactUploadUrls } = await send(machine, { instances: machine.instances });
    await Promise.all(artifactUploadUrls.map(({ path, uploadUrl }) => sendFile(path, uploadUrl)));
  }
  const {
    special,
    facts: { ciBuildId },
  } = run;
  if (special === 'cancelled') {
    const actor = actorName(person({ accountId: place.adminAccountId }));
    await cancelOwnRun(past, { organizationId, actor, body: { projectId, ciBuildId, runId: null } });
  }
  if (special === 'timed out') {
    now += ORGANIZATION_LIMITS.inactivityTimeoutSeconds.default * 1000;
    await endRun(past, { organizationId, runId }, { ending: 'timeOut' });
  }
}

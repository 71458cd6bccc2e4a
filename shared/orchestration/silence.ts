/** When a machine that reports nothing counts as dead. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { lastChange, lastMessage, newest } from '#shared/lifecycle/last-report.ts';
import type { SessionMachine } from '#shared/model/orchestration/machine.ts';
import type { OrchestrationSession } from '#shared/model/orchestration/session.ts';
import { isComplete } from '#shared/model/tests/instance.ts';
import type { Services } from '#shared/services.ts';
import { ORCHESTRATION_LIMITS } from './limits.ts';
import { type BatchFile, readBatches, readFiles } from './read-batches.ts';

type WithTable = Pick<Services, 'table'>;

/** The incomplete spec files of the machine. */
export async function openFiles(
  services: WithTable,
  session: OrchestrationSession,
  { held }: SessionMachine,
): Promise<readonly BatchFile[]> {
  const files = await readFiles(services, session, await readBatches(services, session, held));
  return files.filter(({ instance }) => !isComplete(instance));
}

interface Holder {
  readonly machine: SessionMachine;
  readonly open: readonly BatchFile[];
  /** A time in epoch milliseconds. If the machine counts as dead only after it, the result need not be exact. */
  readonly by: number;
}

/** When the machine counts as dead unless it reports, in epoch milliseconds. */
export async function deadAt({ table }: WithTable, { machine, open, by }: Holder): Promise<number> {
  const early = patienceEnd(machine, open, []);
  if (early > by) return early;
  const messages = await mapConcurrently(open, ({ instance }) => lastMessage(table, instance));
  return patienceEnd(machine, open, messages);
}

/** A long test reports nothing for a while, so the expected end of a spec file is always awaited. */
function patienceEnd(machine: SessionMachine, open: readonly BatchFile[], messages: readonly number[]): number {
  const reported = newest([machine.at, ...open.map(({ instance }) => lastChange(instance)), ...messages]);
  const ends = open.map(({ instance, milliseconds }) => {
    const begun = newest([machine.at, ...instance.claims.map(({ at }) => at)]);
    return begun + milliseconds;
  });
  return newest([reported + newest(open.map(longestSilence)), ...ends]) + ORCHESTRATION_LIMITS.silenceMilliseconds;
}

/** A test may last `longTestFactor` times as long as the mean test of its spec file. */
const longestSilence = ({ instance, milliseconds }: BatchFile): number =>
  Math.min(milliseconds, (milliseconds * ORCHESTRATION_LIMITS.longTestFactor) / Math.max(1, instance.expected));

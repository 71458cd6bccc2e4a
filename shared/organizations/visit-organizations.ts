/**
 * Performs a task for each organization, even if one call is too short to visit all of them. A call starts where the
 * previous call ran out of time, wraps around at the end of the list, and visits each organization at most once.
 */
import type { Span } from '#shared/engine/table/entity.ts';
import type { Table } from '#shared/engine/table/table.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { checkpoints } from '#shared/model/checkpoint.ts';
import { allOrganizations, allOrganizationsSpan, type Organization } from '#shared/model/organizations/organization.ts';
import type { WithClock } from '#shared/services.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';

interface Visits {
  /** The name of the task, under which its checkpoint is stored. */
  readonly work: string;
  readonly isTimeUp: () => boolean;
  /** Performs the task for one organization. Returns how many rows it read, and whether it finished. */
  readonly visit: (
    organization: Pick<Organization, 'organizationId'>,
  ) => Promise<{ readonly rows: number; readonly finished: boolean }>;
}

/** Returns whether all organizations were visited. If not, the next call continues with the rest. */
export async function visitOrganizations(
  { table, now }: WithClock,
  { work, isTimeUp, visit }: Visits,
): Promise<boolean> {
  const checkpoint = await table.get(checkpoints, { work }, { consistent: true });
  let savedPosition = checkpoint?.position;
  let position = savedPosition;
  let rowsSinceSaved = 0;
  const save = async (): Promise<void> => {
    if (position === undefined || position === savedPosition) return;
    await table.put(checkpoints, { work, position, savedAt: now() });
    savedPosition = position;
    rowsSinceSaved = 0;
  };
  for await (const { sk, item } of iterateOrganizations(table, checkpoint?.position)) {
    const result = isTimeUp() ? UNFINISHED : await visit(item);
    if (!result.finished) {
      await save();
      return false;
    }
    position = sk;
    rowsSinceSaved += result.rows + 1;
    if (rowsSinceSaved >= ORGANIZATION_LIMITS.cleanUpCheckpointRows) await save();
  }
  if (savedPosition !== undefined) await table.writeMany([remove(checkpoints, { work })]);
  return true;
}

const UNFINISHED = { rows: 0, finished: false };

/** Yields the organizations after the position, oldest first, and then the organizations up to the position. */
async function* iterateOrganizations(table: Table, position: string | undefined) {
  yield* iteratePointers(table, allOrganizationsSpan, position);
  if (position !== undefined) yield* iteratePointers(table, { ...allOrganizationsSpan, to: position });
}

async function* iteratePointers(table: Table, span: Span, position?: string) {
  let after = position;
  do {
    const options = { limit: ORGANIZATION_LIMITS.cleanUpPage, consistent: true, after };
    const { rows, lastRead } = await table.query(allOrganizations, span, options);
    yield* rows;
    after = lastRead;
  } while (after !== undefined);
}

/** A change: who may make it, what it writes and its audit record hold together, or nothing happens. */
import { conflict } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { AuditRecord } from '../resources/audit-record.ts';
import type { Administration } from '../services.ts';
import { backOff } from '../table/back-off.ts';
import { checked, type Write } from '../table/writes.ts';
import { nameOf } from './actor.ts';
import { auditOf } from './audit.ts';
import { mayChange, type Question, type Right, type Standing } from './rights.ts';

interface Plan<Result> {
  readonly result: Result;
  readonly writes: readonly Write[];
}

/** Plans anew when something changed in between, and so meets what is there now, or the reason to refuse. */
export async function untilWritten<Result>(
  { table }: Pick<Administration, 'table'>,
  plan: () => Promise<Plan<Result>>,
): Promise<Result> {
  for (let attempt = 0; attempt < LIMITS.optimisticAttempts; attempt += 1) {
    await backOff(attempt);
    const { result, writes } = await plan();
    if (writes.length === 0 || (await table.transact(writes))) return result;
  }
  throw conflict('What this is about');
}

interface Change<Result> extends Plan<Result> {
  /** What the audit record says beside who and when. */
  readonly record: Pick<AuditRecord, 'action' | 'subject' | 'detail'>;
}

/** Everything is as it shall be already. */
interface Unchanged<Result> {
  readonly result: Result;
}

/** By somebody with this right, in an organization that is active. */
export function change<Result>(
  services: Administration,
  question: Question & { readonly right: Right },
  plan: (standing: Standing) => Promise<Change<Result> | Unchanged<Result>> | Change<Result> | Unchanged<Result>,
): Promise<Result> {
  const { organizationId, actor, right } = question;
  return untilWritten(services, async () => {
    const standing = await mayChange(services, question, right);
    const planned = await plan(standing);
    const { result } = planned;
    if (!('writes' in planned)) return { result, writes: [] };
    const audit = auditOf(services, { ...planned.record, organizationId, actor: nameOf(actor) });
    return { result, writes: [...checked(standing.checks, planned.writes), audit] };
  });
}

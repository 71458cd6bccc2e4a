import { type Delete, remove } from '#shared/engine/table/writes.ts';
import { failures, MARKS, type Mark, markedOfInstance } from '#shared/model/failures.ts';
import type { InstanceKey } from '#shared/model/instance.ts';
import type { CoreServices } from '#shared/services.ts';

/** A batch upload deletes the marks of its tests that an earlier upload or message left. */
export async function outdatedFailures(
  { table }: Pick<CoreServices, 'table'>,
  instance: InstanceKey,
  marks: ReadonlyMap<string, Mark | undefined>,
): Promise<Delete[]> {
  const known = await Promise.all(
    MARKS.map((mark) => table.queryAll(failures, markedOfInstance(instance, mark), { consistent: true })),
  );
  const outdated = known.flat().filter(({ testKey, mark }) => marks.has(testKey) && marks.get(testKey) !== mark);
  return outdated.map((failure) => remove(failures, failure));
}

/** The ids of pytest: `tests/test_cart.py::TestCart::test_adds[1]`. */
import { replaceUnstableParts } from '#shared/reports/paths.ts';

export const getSpec = (nodeId: string): string => nodeId.split('::', 1)[0] ?? nodeId;

/** The classes and the name. Parameters in brackets may hold `::`, so they are cut off first. */
export function listTitle(nodeId: string): string[] {
  const at = nodeId.indexOf('[', nodeId.indexOf('::') + 1);
  const end = at < 0 ? nodeId.length : at;
  const [, ...parts] = nodeId.slice(0, end).split('::');
  return [...parts.slice(0, -1), `${parts.at(-1) ?? ''}${nodeId.slice(end)}`].map(replaceUnstableParts);
}

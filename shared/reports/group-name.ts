/**
 * The names of groups of a job with the option `group`, such as a system or a package. Projects of a test framework and
 * groups that a report names keep their names behind it, as in `linux › chromium`.
 */
import { GROUP_SEPARATOR } from '#shared/model/group-names.ts';
import { normalizeId } from '#shared/model/short-names.ts';
import { DEFAULT_GROUP, UNNAMED_PROJECT } from './paths.ts';

export function prefixGroup(option: string | undefined, name: string): string {
  if (option === undefined) return name;
  const isUnnamed = name === DEFAULT_GROUP || name === UNNAMED_PROJECT || name === option;
  return normalizeId(isUnnamed ? option : `${option}${GROUP_SEPARATOR}${name}`);
}

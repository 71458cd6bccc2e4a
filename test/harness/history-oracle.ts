/** §4.1, §8 A naive reference implementation of history queries. It shares no code with the product. */
import type { HistoryItem } from './history.ts';

/** The filter parameters of a history query, by their names in the query without brackets. */
export interface HistoryFilter {
  readonly tags?: readonly string[];
  readonly branches?: readonly string[];
  readonly authors?: readonly string[];
  readonly groups?: readonly string[];
  readonly environments?: readonly string[];
  readonly status?: readonly string[];
  readonly flaky?: boolean;
  readonly annotations?: readonly { type: string; description?: string | readonly string[] | null }[];
}

/** Whether an execution matches. The values of one filter are alternatives, and all filters must match. */
function isWanted(item: HistoryItem, filter: HistoryFilter): boolean {
  if (filter.tags && !filter.tags.some((tag) => item.tags.includes(tag))) return false;
  if (filter.branches && !filter.branches.some((branch) => isBranch(item.branch, branch))) return false;
  if (filter.authors && !filter.authors.some((author) => author === item.authorName || author === item.authorEmail)) {
    return false;
  }
  if (filter.groups && !filter.groups.includes(item.groupId)) return false;
  if (filter.environments && !filter.environments.some((environment) => environment === item.environment)) return false;
  if (filter.status && !filter.status.includes(item.outcome)) return false;
  if (filter.flaky !== undefined && filter.flaky !== item.flaky) return false;
  return !filter.annotations?.length || filter.annotations.some((wanted) => isAnnotated(item, wanted));
}

function isBranch(branch: string | null, pattern: string): boolean {
  if (branch === null) return false;
  const name = branch.normalize('NFC');
  if (!pattern.endsWith('*')) return name === pattern;
  return name.slice(0, pattern.length - 1) === pattern.slice(0, -1);
}

function isAnnotated(
  { annotations }: HistoryItem,
  { type, description }: NonNullable<HistoryFilter['annotations']>[number],
): boolean {
  const ofType = annotations.filter((annotation) => annotation.type === type);
  if (description === undefined || description === null) return ofType.length > 0;
  const wanted = typeof description === 'string' ? [description] : description;
  return ofType.some((annotation) => annotation.description !== null && wanted.includes(annotation.description));
}

export interface PageRequest {
  readonly limit: number;
  readonly startingAfter?: HistoryItem;
  readonly endingBefore?: HistoryItem;
}

/** Whether the first execution is newer. Within a millisecond, the record id decides. */
const isNewer = (one: HistoryItem, other: HistoryItem): boolean =>
  one.recordedAt !== other.recordedAt ? one.recordedAt > other.recordedAt : one.recordId > other.recordId;

/**
 * Returns the record ids of the executions on a page, newest first, and whether more executions follow in the direction
 * of paging.
 */
export function pageOf(items: readonly HistoryItem[], filter: HistoryFilter, page: PageRequest) {
  const { limit, startingAfter, endingBefore } = page;
  const wanted = items
    .filter((item) => isWanted(item, filter))
    .sort((one, other) => (isNewer(one, other) ? -1 : isNewer(other, one) ? 1 : 0))
    .filter((item) => !startingAfter || isNewer(startingAfter, item))
    .filter((item) => !endingBefore || isNewer(item, endingBefore));
  const shown = endingBefore ? wanted.slice(-limit) : wanted.slice(0, limit);
  return { recordIds: shown.map(({ recordId }) => recordId), has_more: wanted.length > limit };
}

/** The query parameters of a filter, with brackets as in the specification. */
export const parametersOf = (filter: HistoryFilter): [string, string][] =>
  Object.entries(filter).flatMap(([name, value]): [string, string][] => {
    if (name === 'annotations') return [[name, JSON.stringify(value)]];
    if (Array.isArray(value)) return value.map((one) => [`${name}[]`, String(one)]);
    return [[name, String(value)]];
  });

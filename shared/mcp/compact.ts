/** Writes results as JSON for models: few characters, one item of a list per line. */
import { withoutAnsi } from '#shared/engine/plain-text.ts';

/** Members without a value are dropped, because they say nothing. */
const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Removes the envelope of a response. The cursor of the next page precedes the items, so that a cut keeps it. */
export function withoutEnvelope(result: unknown): unknown {
  if (!isObject(result) || !('status' in result) || result.status !== 'OK' || !('data' in result)) return result;
  const { status: _, data, ...rest } = result;
  if (!Array.isArray(data)) return Object.keys(rest).length > 0 ? { ...rest, ...Object(data) } : data;
  const last: unknown = data.at(-1);
  const more = 'has_more' in rest && rest.has_more === true && isObject(last) && 'cursor' in last;
  return { ...rest, ...(more ? { starting_after: last.cursor } : {}), data: data.map(withoutCursor) };
}

function withoutCursor(item: unknown): unknown {
  if (!isObject(item) || !('cursor' in item)) return item;
  const { cursor: _, ...rest } = item;
  return rest;
}

/** Whether the only list of a result is empty. */
export function isEmptyList(result: unknown): boolean {
  if (!isObject(result)) return false;
  const lists = Object.values(result).filter((value) => Array.isArray(value));
  return lists.length === 1 && lists[0]?.length === 0;
}

/** Drops terminal colors and long fractions, which cost tokens. */
function plain(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toFixed(DECIMALS));
  return typeof value === 'string' ? withoutAnsi(value) : value;
}

const DECIMALS = 4;

/** JSON with one line per object of a list, so that a cut at a line break keeps whole items. */
export function compact(value: unknown): string {
  if (Array.isArray(value))
    return value.some(isObject) ? `[\n${value.map(compact).join(',\n')}\n]` : JSON.stringify(value);
  if (!isObject(value)) return JSON.stringify(plain(value)) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => !isAbsent(member));
  const ordered = [
    ...members.filter(([, member]) => !isObject(member)),
    ...members.filter(([, member]) => isObject(member)),
  ];
  return `{${ordered.map(([name, member]) => `${JSON.stringify(name)}:${compact(member)}`).join(',')}}`;
}

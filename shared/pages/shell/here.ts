/**
 * Builds links to the current list with changed query parameters. The URL contains everything that the person has
 * selected.
 */
import type { ApiError } from '#shared/engine/errors.ts';
import type { Visit } from '#shared/sign-in/visit.ts';

/** The page that was requested. */
export interface Here {
  readonly visit: Pick<Visit, 'base'>;
  /** Below `visit.base`. */
  readonly pathWithQuery: string;
  /** Why the query was refused. Absent if it was accepted. */
  readonly queryProblem?: ApiError | undefined;
}

const parseUrl = ({ pathWithQuery }: Here): URL => new URL(pathWithQuery, 'http://page.invalid');

/** All query parameters that have a value. Empty parameters are dropped, because GET forms also send empty fields. */
export const listParameters = (at: Here): [string, string][] =>
  [...parseUrl(at).searchParams].filter(([, value]) => value !== '');

const buildAddress = (at: Here, parameters: [string, string][]): string => {
  const path = getPath(at);
  return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`;
};

export const getPath = (at: Here): string => at.visit.base + parseUrl(at).pathname;

/** These parameters are removed when a list changes, because a page number or a cursor is valid only for its filters and its order. */
export const PAGE_PARAMETERS: ReadonlySet<string> = new Set(['page', 'from', 'starting_after', 'ending_before']);

/** These parameters sort a list or size its parts, but leave no row out. */
const DISPLAY_PARAMETERS: ReadonlySet<string> = new Set(['order', 'order_by', 'dir', 'limit', 'resolution']);

/** The parameters that select some of the rows of a list, and not only their order or a page. */
export const listFilters = (at: Here): [string, string][] =>
  listParameters(at).filter(([name]) => !PAGE_PARAMETERS.has(name) && !DISPLAY_PARAMETERS.has(name));

/** The values of the parameters with these names, for a link that keeps them. */
export function pickParameters(at: Here, names: ReadonlySet<string>): Readonly<Record<string, readonly string[]>> {
  const keptParameters = listParameters(at).filter(([name]) => names.has(name));
  const byName = Map.groupBy(keptParameters, ([name]) => name);
  return Object.fromEntries([...byName].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]));
}

type Changes = Readonly<Record<string, string | number | undefined>>;

/** `undefined` removes a parameter. The link leads to the first page, unless the changes select another one. */
export function linkWithChanges(at: Here, changes: Changes): string {
  const keptParameters = listParameters(at).filter(([name]) => !PAGE_PARAMETERS.has(name) && !(name in changes));
  const newParameters = Object.entries(changes).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return buildAddress(at, [...keptParameters, ...newParameters]);
}

export const linkWithoutValue = (at: Here, [name, value]: readonly [string, string]): string =>
  buildAddress(
    at,
    listParameters(at).filter(
      ([otherName, otherValue]) => !PAGE_PARAMETERS.has(otherName) && !(otherName === name && otherValue === value),
    ),
  );

export function findParameterValue(at: Here, name: string): string | undefined {
  const [, value] = listParameters(at).find(([otherName]) => otherName === name) ?? [];
  return value;
}

export const findParameterProblem = ({ queryProblem }: Pick<Here, 'queryProblem'>, name: string): string | undefined =>
  queryProblem?.details.about?.includes(name.replace('[]', '')) ? queryProblem.message : undefined;

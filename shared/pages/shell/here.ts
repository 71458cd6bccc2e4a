/**
 * Builds links to the current list with changed query parameters. The URL contains everything that the person has
 * selected.
 */
import type { ApiError } from '#shared/engine/errors.ts';
import type { Visit } from '#shared/sign-in/visit.ts';

/** The page that was requested. */
export interface Here {
  readonly visit: Pick<Visit, 'base'>;
  /** Its path below `visit.base`, with its query. */
  readonly here: string;
  /** Why the query was refused. Absent if it was accepted. */
  readonly queryProblem?: ApiError | undefined;
}

const parseHere = ({ here }: Here): URL => new URL(here, 'http://here.invalid');

/** All query parameters that have a value. Empty parameters are dropped, because GET forms also send empty fields. */
export const listParameters = (at: Here): [string, string][] =>
  [...parseHere(at).searchParams].filter(([, value]) => value !== '');

const buildAddress = (at: Here, parameters: [string, string][]): string => {
  const path = getPath(at);
  return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`;
};

export const getPath = (at: Here): string => at.visit.base + parseHere(at).pathname;

/** These parameters are removed when a list changes, because a page number or a cursor is valid only for its filters and its order. */
export const OF_A_PAGE: ReadonlySet<string> = new Set(['page', 'from', 'starting_after', 'ending_before']);

const OF_THE_ORDER: ReadonlySet<string> = new Set(['order', 'dir']);

/** Whether the query selects some of the rows of a list, and not only their order or a page. */
export const isFiltered = (at: Here): boolean =>
  listParameters(at).some(([name]) => !OF_A_PAGE.has(name) && !OF_THE_ORDER.has(name));

type Changes = Readonly<Record<string, string | number | undefined>>;

/** `undefined` removes a parameter. The link leads to the first page, unless the changes select another one. */
export function linkWithChanges(at: Here, changes: Changes): string {
  const keptParameters = listParameters(at).filter(([name]) => !OF_A_PAGE.has(name) && !(name in changes));
  const newParameters = Object.entries(changes).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return buildAddress(at, [...keptParameters, ...newParameters]);
}

export const linkWithoutValue = (at: Here, [name, value]: readonly [string, string]): string =>
  buildAddress(
    at,
    listParameters(at).filter(
      ([otherName, otherValue]) => !OF_A_PAGE.has(otherName) && !(otherName === name && otherValue === value),
    ),
  );

export function findParameterValue(at: Here, name: string): string | undefined {
  const [, value] = listParameters(at).find(([otherName]) => otherName === name) ?? [];
  return value;
}

export const findParameterProblem = ({ queryProblem }: Pick<Here, 'queryProblem'>, name: string): string | undefined =>
  queryProblem?.details.about?.includes(name.replace('[]', '')) ? queryProblem.message : undefined;

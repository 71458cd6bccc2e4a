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

const parsed = ({ here }: Here): URL => new URL(here, 'http://here.invalid');

/** All query parameters that have a value. Empty parameters are dropped, because GET forms also send empty fields. */
export const parametersOf = (at: Here): [string, string][] =>
  [...parsed(at).searchParams].filter(([, value]) => value !== '');

const addressOf = (at: Here, parameters: [string, string][]): string => {
  const path = pathOf(at);
  return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`;
};

export const pathOf = (at: Here): string => at.visit.base + parsed(at).pathname;

/**
 * The query parameters that select a page of a list. They are removed when the list changes, because a page number or a
 * cursor is valid only for the filters and the order it was made for.
 */
export const OF_A_PAGE: ReadonlySet<string> = new Set(['page', 'starting_after', 'ending_before']);

/** The query parameters of the order of a list. */
const OF_THE_ORDER: ReadonlySet<string> = new Set(['order', 'dir']);

/** Whether the query selects some of the rows of a list, and not only their order or a page. */
export const isFiltered = (at: Here): boolean =>
  parametersOf(at).some(([name]) => !OF_A_PAGE.has(name) && !OF_THE_ORDER.has(name));

type Changes = Readonly<Record<string, string | number | undefined>>;

/**
 * The URL of the current list with these query parameters replaced. `undefined` removes a parameter. It leads to the
 * first page, unless the changes select another one.
 */
export function hereWith(at: Here, changes: Changes): string {
  const kept = parametersOf(at).filter(([name]) => !OF_A_PAGE.has(name) && !(name in changes));
  const given = Object.entries(changes).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return addressOf(at, [...kept, ...given]);
}

/** The URL of the first page of the current list without this value of a filter. */
export const hereWithout = (at: Here, [name, value]: readonly [string, string]): string =>
  addressOf(
    at,
    parametersOf(at).filter(([other, its]) => !OF_A_PAGE.has(other) && !(other === name && its === value)),
  );

export const valueIn = (at: Here, name: string): string | undefined =>
  parametersOf(at).find(([other]) => other === name)?.[1];

/** The error message about the query, if it concerns this parameter. */
export const problemOfParameter = ({ queryProblem }: Pick<Here, 'queryProblem'>, name: string): string | undefined =>
  queryProblem?.details.about?.includes(name.replace('[]', '')) ? queryProblem.message : undefined;

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

/** Empty parameters are dropped, because GET forms also send empty fields. */
const listSentParameters = (at: Here): [string, string][] =>
  [...parseUrl(at).searchParams].filter(([, value]) => value !== '');

/** The query parameters that apply: none if one of them was refused, because the page then ignores all. */
export const listParameters = (at: Here): [string, string][] =>
  at.queryProblem === undefined ? listSentParameters(at) : [];

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

/** Also a refused value, which the field shows for correction. */
export function findParameterValue(at: Here, name: string): string | undefined {
  const [, value] = listSentParameters(at).find(([otherName]) => otherName === name) ?? [];
  return value;
}

export const findParameterProblem = (at: Here, name: string): string | undefined =>
  listRefusedNames(at).includes(name.replace('[]', '')) ? describeRefusedValue(at, name) : undefined;

const listRefusedNames = ({ queryProblem }: Here): readonly string[] => queryProblem?.details.about ?? [];

/** For people, who see the field and not the name of its parameter. */
function describeRefusedValue(at: Here, name: string): string {
  const [first, last] = listRefusedNames(at);
  if (first === 'date_start' && last === 'date_end') return 'The first day is after the last one';
  const value = findParameterValue(at, name) ?? findParameterValue(at, `${name}[]`) ?? '';
  return DATE_WORDS[name] === undefined ? `The filter does not take “${value}”` : `“${value}” is not a date`;
}

const DATE_WORDS: Readonly<Record<string, string>> = { date_start: 'start date', date_end: 'end date' };

/** Why the page ignores its address, in the words of the page. */
export function describeQueryProblem(at: Here & { readonly queryProblem: ApiError }): string {
  const [name, other] = listRefusedNames(at);
  const value = name === undefined ? undefined : (findParameterValue(at, name) ?? findParameterValue(at, `${name}[]`));
  if (name === undefined || value === undefined) return at.queryProblem.message.replaceAll('`', '');
  if (other !== undefined && name in DATE_WORDS && other in DATE_WORDS)
    return 'The address has a start date that is after its end date';
  if (name in DATE_WORDS)
    return `The address has ${name === 'date_end' ? 'an' : 'a'} ${DATE_WORDS[name]} that is not a date: ${value}`;
  return `The address has a filter that this page does not take: ${name.replaceAll('_', ' ')} is ${value}`;
}

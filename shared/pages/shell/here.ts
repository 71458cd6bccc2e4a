/** Builds links to the current list with changed parameters. All choices are in the URL. */
import type { ApiError } from '#shared/engine/errors.ts';
import type { Visit } from '#shared/sign-in/visit.ts';

/** Path and query of the requested page. */
export interface Here {
  readonly visit: Pick<Visit, 'base'>;
  readonly here: string;
  /** Why the query was refused, if it was. */
  readonly queryProblem?: ApiError | undefined;
}

const parsed = ({ here }: Here): URL => new URL(here, 'http://here.invalid');

/** All parameters with a value. GET forms also send empty fields, which are dropped. */
export const parametersOf = (at: Here): [string, string][] =>
  [...parsed(at).searchParams].filter(([, value]) => value !== '');

const addressOf = (at: Here, parameters: [string, string][]): string => {
  const path = pathOf(at);
  return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`;
};

export const pathOf = (at: Here): string => at.visit.base + parsed(at).pathname;

type Changes = Readonly<Record<string, string | number | undefined>>;

/** Replaces parameters. `undefined` removes one. Goes back to the first page, unless `page` is among the changes. */
export function hereWith(at: Here, changes: Changes): string {
  const kept = parametersOf(at).filter(([name]) => name !== 'page' && !(name in changes));
  const given = Object.entries(changes).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return addressOf(at, [...kept, ...given]);
}

/** Removes one value of a filter. */
export const hereWithout = (at: Here, [name, value]: readonly [string, string]): string =>
  addressOf(
    at,
    parametersOf(at).filter(([other, its]) => other !== 'page' && !(other === name && its === value)),
  );

export const valueIn = (at: Here, name: string): string | undefined =>
  parametersOf(at).find(([other]) => other === name)?.[1];

/** The error message about the query, if it concerns this parameter. */
export const problemOfParameter = ({ queryProblem }: Pick<Here, 'queryProblem'>, name: string): string | undefined =>
  queryProblem?.details.about?.includes(name.replace('[]', '')) ? queryProblem.message : undefined;

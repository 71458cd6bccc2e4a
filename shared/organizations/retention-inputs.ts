/** Checks the retention of a project. */
import { invalidRequest } from '#shared/engine/errors.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { FOREVER, type RetentionSetting } from '#shared/model/runs/retention.ts';

export const RETENTION_NAMES = { resultsDays: 'results', evidenceDays: 'evidence', filesDays: 'files' } as const;
export const RETENTIONS = ['resultsDays', 'evidenceDays', 'filesDays'] as const;

export function retentionFrom(given: RetentionSetting): RetentionSetting {
  for (const name of RETENTIONS) refuseOutOfRange(RETENTION_NAMES[name], given[name]);
  for (const name of ['evidenceDays', 'filesDays'] as const)
    refuseLonger(RETENTION_NAMES[name], given[name], given.resultsDays);
  return Object.fromEntries(RETENTIONS.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));
}

/** The change of a retention. `default` removes a member, so that the environment decides. */
export type RetentionChange = { readonly [Name in keyof RetentionSetting]?: number | null | 'default' | undefined };

export function changedRetention(setting: RetentionSetting | undefined, change: RetentionChange): RetentionSetting {
  // A project that kept everything follows the defaults where its first limit says nothing.
  const before = setting ?? (typeof change.resultsDays === 'number' ? {} : FOREVER);
  const members = RETENTIONS.flatMap((name) => {
    const days = change[name] === undefined ? before[name] : change[name];
    return days === undefined || days === 'default' ? [] : [[name, days]];
  });
  return retentionFrom(Object.fromEntries(members));
}

/** Describes the change of a retention in the audit record. */
export const changeOfRetention = (from: RetentionSetting | undefined, to: RetentionSetting | undefined): string =>
  RETENTIONS.filter((name) => settingOf(from)[name] !== settingOf(to)[name])
    .map((name) => `${name}: ${shownDays(from, name)} to ${shownDays(to, name)}`)
    .join('; ');

/** Shows a setting as `30`, `forever` or `default`. */
export function shownDays(setting: RetentionSetting | undefined, name: keyof RetentionSetting): string {
  const days = settingOf(setting)[name];
  return days === null ? 'forever' : String(days ?? 'default');
}

/** The text in a form: nothing for the default. */
export const daysEntry = (setting: RetentionSetting | undefined, name: keyof RetentionSetting): string => {
  const shown = shownDays(setting, name);
  return shown === 'default' ? '' : shown;
};

/** The change that these texts of a form ask for. */
export const enteredRetention = (
  entries: Readonly<Record<keyof RetentionSetting, string | undefined>>,
): RetentionChange | undefined => {
  const days = RETENTIONS.flatMap((name) => {
    const text = entries[name];
    return text === undefined ? [] : [[name, enteredDays(text.toLowerCase())] as const];
  });
  return days.length === 0 ? undefined : Object.fromEntries(days);
};

/** A text that is no number becomes one that the check of the range refuses. */
function enteredDays(text: string): number | null | 'default' {
  if (text === '') return 'default';
  return text === 'forever' ? null : Number(text);
}

/** A project that is older than retention keeps everything. */
const settingOf = (setting: RetentionSetting | undefined): RetentionSetting => setting ?? FOREVER;

function refuseOutOfRange(what: string, days: number | null | undefined): void {
  const { minimum, maximum } = MODEL_LIMITS.retentionDays;
  if (days == null || (Number.isInteger(days) && days >= minimum && days <= maximum)) return;
  throw invalidRequest(`The retention of ${what} must be ${minimum} to ${maximum} whole days, forever or default`);
}

/** Refuses evidence or files that outlive the results. A default for the results only cuts them. */
function refuseLonger(what: string, days: number | null | undefined, resultsDays: number | null | undefined): void {
  if (days === undefined || resultsDays == null || (days !== null && days <= resultsDays)) return;
  throw invalidRequest(
    `The retention of ${what} must not be longer than that of results, which is ${resultsDays} days`,
  );
}

/**
 * §3 The settings of a project. Each is declared once: rows, requests, the form, the command and settings files derive
 * the rest. Retention is apart (retention-inputs.ts), because its three members depend on each other.
 */
import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';
import { applyRetentionChange, type RetentionChange } from './retention-inputs.ts';
import { FLAG, makeDuration, makeLabels, makeLine, type Setting } from './setting-kinds.ts';

const ONE_LINE = 'One line of text, without characters that change its direction';

const DECLARATIONS = {
  name: {
    ...makeLine('The name of a project', ORGANIZATION_LIMITS.nameCharacters),
    description: ONE_LINE,
    label: 'Name',
    option: { name: 'name', takes: '<name>', means: 'name of the project' },
  },
  // §8 Not longer than a branch filter, so that clients can filter by every branch.
  defaultBranchName: {
    ...makeLine('The name of a branch', MODEL_LIMITS.branchFilterCharacters),
    description: ONE_LINE,
    label: 'Default branch',
    option: { name: 'branch', takes: '<branch>', means: 'default branch' },
  },
  inactivityTimeoutSeconds: {
    ...makeDuration('The inactivity timeout', ORGANIZATION_LIMITS.inactivityTimeoutSeconds, '3 minutes to 12 hours'),
    description: 'A run without reports for this long times out',
    label: 'Inactivity timeout',
    fieldName: 'timeoutMinutes',
    fieldLabel: 'Inactivity timeout in minutes',
    hint: 'A run times out when no results have arrived for this long',
    option: {
      name: 'inactivity-timeout',
      means: 'time without results until a run times out, 3m to 12h; a plain number is seconds',
    },
  },
  failFast: {
    ...FLAG,
    description: 'Whether a run ends at its first failed test',
    label: 'Fail fast',
    fieldLabel: 'Fail fast: the first failed test cancels the run',
    option: { name: 'fail-fast', means: 'whether the first failed test cancels the run' },
  },
  gateNewFailures: {
    ...FLAG,
    byDefault: false,
    description: 'Whether the gate of a commit fails if tests fail that did not fail in the base',
    label: 'Gate: new failures',
    fieldLabel: 'Gate: a commit status fails if tests fail that did not fail on the default branch',
    option: { name: 'gate-new-failures', means: 'whether new failures fail the gate of a commit' },
  },
  gateMissingTests: {
    ...FLAG,
    byDefault: false,
    description: 'Whether the gate of a commit fails if tests of the base have no result',
    label: 'Gate: missing tests',
    fieldLabel: 'Gate: a commit status fails if tests of the default branch have no result',
    option: { name: 'gate-missing-tests', means: 'whether missing tests fail the gate of a commit' },
  },
  tags: {
    ...makeLabels(ORGANIZATION_LIMITS.projectTags, ORGANIZATION_LIMITS.projectTagCharacters),
    byDefault: [],
    description: `Labels of the project, without commas. Each is: ${ONE_LINE}. They replace all earlier ones`,
    label: 'Tags',
    hint: 'Labels of the project, such as the team that owns it. Separate them with commas',
    option: { name: 'tags', takes: '<tag>,<tag>', means: 'labels of the project, which replace all earlier ones' },
  },
} satisfies { readonly [Name in keyof ProjectRecord]?: Setting<NonNullable<ProjectRecord[Name]>> };

export type SettingName = keyof typeof DECLARATIONS;
export type SettingValues = Required<Pick<ProjectRecord, SettingName>>;
type PartialValues = { readonly [Name in SettingName]?: SettingValues[Name] | undefined };
export type Settings = Pick<ProjectRecord, SettingName | 'retention'>;
export type SettingsChange = PartialValues & { readonly retention?: RetentionChange | undefined };

/** In the order of requests, options and messages. */
export const PROJECT_SETTINGS: { readonly [Name in SettingName]: Setting<SettingValues[Name]> } = DECLARATIONS;

const isSettingName = (name: string): name is SettingName => Object.hasOwn(DECLARATIONS, name);
export const SETTING_NAMES: readonly SettingName[] = Object.keys(DECLARATIONS).filter(isSettingName);

type Schemas = { readonly [Name in SettingName]: z.ZodType<SettingValues[Name]> };

/** One schema per setting. The cast is safe, because `make` returns a schema of the values of its setting. */
export const mapToSchemas = (
  make: <Value>(setting: Pick<Setting<Value>, 'request' | 'inFile' | 'description'>) => z.ZodType<Value>,
): Schemas => Object.fromEntries(SETTING_NAMES.map((name) => [name, make<unknown>(PROJECT_SETTINGS[name])])) as Schemas;

/** `undefined` only for a project that is not complete yet. */
export function getSetting<Name extends SettingName>(
  settings: PartialValues,
  name: Name,
): SettingValues[Name] | undefined {
  const value: SettingValues[Name] | undefined = settings[name];
  return value ?? PROJECT_SETTINGS[name].byDefault;
}

export function formatSetting<Name extends SettingName>(settings: PartialValues, name: Name): string {
  const value = getSetting(settings, name);
  return value === undefined ? '' : PROJECT_SETTINGS[name].format(value);
}

/** The settings for which `read` returns a value. */
export function collectSettings(
  read: <Name extends SettingName>(name: Name) => SettingValues[Name] | undefined,
): PartialValues {
  const values: { -readonly [Name in SettingName]?: SettingValues[Name] } = {};
  const collect = <Name extends SettingName>(name: Name) => {
    const value = read(name);
    if (value !== undefined) values[name] = value;
  };
  for (const name of SETTING_NAMES) collect(name);
  return values;
}

/** For a project with the settings `before`. Throws 400 if a setting is invalid. */
export function parseSettings({ retention, ...change }: SettingsChange, before: Partial<Settings>): Partial<Settings> {
  const values: PartialValues = change;
  const settings = collectSettings((name) => {
    const value: SettingValues[typeof name] | undefined = values[name];
    const { byDefault, parse } = PROJECT_SETTINGS[name];
    // A row that lacks a setting stays without it if the change names the default.
    const isUnchanged = byDefault !== undefined && isDeepStrictEqual(value, getSetting(before, name));
    return value === undefined || isUnchanged ? undefined : parse(value, name);
  });
  return retention === undefined
    ? settings
    : { ...settings, retention: applyRetentionChange(before.retention, retention) };
}

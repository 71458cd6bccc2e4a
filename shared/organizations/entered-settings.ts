/** The settings of a project as form values, and the change that a submitted form asks for. */
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { settingsChanged } from './errors.ts';
import { formatDaysEntry, parseRetentionChange, RETENTION_NAMES, RETENTIONS } from './retention-inputs.ts';
import {
  collectSettings,
  getSetting,
  PROJECT_SETTINGS,
  SETTING_NAMES,
  type SettingName,
  type SettingsChange,
} from './setting-declarations.ts';

/** By the names of the form fields. */
export type SettingsEntries = Readonly<Record<string, string>>;

export const getFieldName = (name: SettingName): string => PROJECT_SETTINGS[name].fieldName ?? name;

/** How messages name the form fields. */
const NOUNS: ReadonlyMap<string, string> = new Map([
  ...SETTING_NAMES.map((name) => {
    const { kind, label, fieldLabel = label } = PROJECT_SETTINGS[name];
    return [getFieldName(name), `${kind === 'labels' ? 'list of ' : ''}${fieldLabel.toLowerCase()}`] as const;
  }),
  ...RETENTIONS.map((name) => [name, `retention of ${RETENTION_NAMES[name]}`] as const),
]);
const FIELD_NAMES = [...NOUNS.keys()];

/** The values that the person entered, and the values that the form showed initially. */
export interface SentSettings {
  readonly entered: SettingsEntries;
  readonly seen: SettingsEntries;
}

export const toSettingsEntries = (project: ProjectRecord): SettingsEntries =>
  Object.fromEntries([
    ...SETTING_NAMES.map((name) => [getFieldName(name), formatEntry(project, name)]),
    ...RETENTIONS.map((name) => [name, formatDaysEntry(project.retention, name)]),
  ]);

function formatEntry<Name extends SettingName>(project: ProjectRecord, name: Name): string {
  const { format, formatEntry = format } = PROJECT_SETTINGS[name];
  const value = getSetting(project, name);
  return value === undefined ? '' : formatEntry(value);
}

/** Others are not saved, so that a form never reverts what somebody else changed after it was opened. */
export const listChangedFields = ({ entered, seen }: SentSettings): string[] =>
  FIELD_NAMES.filter((name) => entered[name]?.trim() !== seen[name]?.trim());

/** Throws 409 if the person edited a setting that somebody else changed to another value after the form was shown. */
export function parseSettingsChange(project: ProjectRecord, form: SentSettings): SettingsChange {
  const now = toSettingsEntries(project);
  const changedNames = listChangedFields(form);
  const conflictingNames = changedNames.filter(
    (name) => now[name] !== form.seen[name] && now[name] !== form.entered[name]?.trim(),
  );
  if (conflictingNames.length > 0)
    throw settingsChanged(new Map(conflictingNames.map((name) => [name, formatCurrentValue(name, now)])));
  const getChangedEntry = (name: string) => (changedNames.includes(name) ? form.entered[name]?.trim() : undefined);
  return {
    ...collectSettings((name) => {
      const entry = getChangedEntry(getFieldName(name));
      return entry === undefined ? undefined : PROJECT_SETTINGS[name].parseEntry(entry);
    }),
    retention: parseRetentionChange({
      resultsDays: getChangedEntry('resultsDays'),
      evidenceDays: getChangedEntry('evidenceDays'),
      filesDays: getChangedEntry('filesDays'),
    }),
  };
}

/** For the message about a conflict. Checkboxes cause none: two people who change one choose the same value. */
const formatCurrentValue = (name: string, now: SettingsEntries): string =>
  `${NOUNS.get(name)} is now ${now[name] || (name === 'tags' ? 'empty' : 'the default')}`;

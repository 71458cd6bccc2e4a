/** The settings of a project as form values, and the change that a submitted form asks for. */

import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { settingsChanged } from './errors.ts';
import { splitTags } from './name-inputs.ts';
import type { SettingsChange } from './project-settings.ts';
import { formatDaysEntry, parseRetentionChange, RETENTION_NAMES, RETENTIONS } from './retention-inputs.ts';

/** How error messages name the form fields. */
const SETTING_NAMES = {
  name: 'name',
  defaultBranchName: 'default branch',
  timeoutMinutes: 'inactivity timeout in minutes',
  failFast: 'fail fast',
  tags: 'list of tags',
  resultsDays: `retention of ${RETENTION_NAMES.resultsDays}`,
  evidenceDays: `retention of ${RETENTION_NAMES.evidenceDays}`,
  filesDays: `retention of ${RETENTION_NAMES.filesDays}`,
} as const;

type SettingName = keyof typeof SETTING_NAMES;
export type SettingsEntries = Readonly<Record<SettingName, string>>;

const NAMES: readonly SettingName[] = [
  'name',
  'defaultBranchName',
  'timeoutMinutes',
  'failFast',
  'tags',
  ...RETENTIONS,
];

export const toSettingsEntries = ({ retention, tags = [], ...project }: ProjectRecord): SettingsEntries => ({
  name: project.name,
  defaultBranchName: project.defaultBranchName,
  timeoutMinutes: String(project.inactivityTimeoutSeconds / 60),
  failFast: project.failFast ? 'true' : '',
  tags: tags.join(', '),
  resultsDays: formatDaysEntry(retention, 'resultsDays'),
  evidenceDays: formatDaysEntry(retention, 'evidenceDays'),
  filesDays: formatDaysEntry(retention, 'filesDays'),
});

/** The values that the person entered, and the values that the form showed initially. */
export interface SentSettings {
  readonly entered: SettingsEntries;
  readonly seen: SettingsEntries;
}

/** Others are not saved, so that a form never reverts what somebody else changed after it was opened. */
export const listChangedSettings = ({ entered, seen }: SentSettings): SettingName[] =>
  NAMES.filter((name) => entered[name].trim() !== seen[name].trim());

/** Throws 409 if the person edited a setting that somebody else changed to another value after the form was shown. */
export function parseSettingsChange(project: ProjectRecord, form: SentSettings): SettingsChange {
  const now = toSettingsEntries(project);
  const changedNames = listChangedSettings(form);
  const conflictingNames = changedNames.filter(
    (name) => now[name] !== form.seen[name] && now[name] !== form.entered[name].trim(),
  );
  if (conflictingNames.length > 0)
    throw settingsChanged(new Map(conflictingNames.map((name) => [name, formatCurrentValue(name, now)])));
  const getChangedEntry = (name: SettingName) => (changedNames.includes(name) ? form.entered[name].trim() : undefined);
  const failFast = getChangedEntry('failFast');
  const minutes = getChangedEntry('timeoutMinutes');
  const tags = getChangedEntry('tags');
  return {
    name: getChangedEntry('name'),
    defaultBranchName: getChangedEntry('defaultBranchName'),
    failFast: failFast === undefined ? undefined : failFast === 'true',
    inactivityTimeoutSeconds: minutes === undefined ? undefined : Math.round(Number(minutes) * 60),
    tags: tags === undefined ? undefined : splitTags(tags),
    retention: parseRetentionChange({
      resultsDays: getChangedEntry('resultsDays'),
      evidenceDays: getChangedEntry('evidenceDays'),
      filesDays: getChangedEntry('filesDays'),
    }),
  };
}

/** For the message about a conflict. Checkboxes cause none: two people who change one choose the same value. */
const formatCurrentValue = (name: SettingName, now: SettingsEntries): string =>
  `${SETTING_NAMES[name]} is now ${now[name] || (name === 'tags' ? 'empty' : 'the default')}`;

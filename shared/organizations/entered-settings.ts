/** The settings of a project as form values, and the change that a submitted form asks for. */

import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { settingsChanged } from './errors.ts';
import { enteredTags } from './name-inputs.ts';
import type { SettingsChange } from './project-settings.ts';
import { daysEntry, enteredRetention, RETENTION_NAMES, RETENTIONS } from './retention-inputs.ts';

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

export const settingsEntriesOf = ({ retention, tags = [], ...project }: ProjectRecord): SettingsEntries => ({
  name: project.name,
  defaultBranchName: project.defaultBranchName,
  timeoutMinutes: String(project.inactivityTimeoutSeconds / 60),
  failFast: project.failFast ? 'true' : '',
  tags: tags.join(', '),
  resultsDays: daysEntry(retention, 'resultsDays'),
  evidenceDays: daysEntry(retention, 'evidenceDays'),
  filesDays: daysEntry(retention, 'filesDays'),
});

/** The values that the person entered, and the values that the form showed initially. */
export interface SentSettings {
  readonly entered: SettingsEntries;
  readonly seen: SettingsEntries;
}

/**
 * The settings that the person edited. Unedited settings are not saved, so that a form never reverts what somebody else
 * changed after it was opened.
 */
export const changedSettings = ({ entered, seen }: SentSettings): SettingName[] =>
  NAMES.filter((name) => entered[name].trim() !== seen[name].trim());

/**
 * The change that the form asks for. Throws 409 if the person edited a setting that somebody else has changed to
 * another value since the form was shown.
 */
export function enteredSettings(project: ProjectRecord, sent: SentSettings): SettingsChange {
  const now = settingsEntriesOf(project);
  const changed = changedSettings(sent);
  const replaced = changed.filter((name) => now[name] !== sent.seen[name] && now[name] !== sent.entered[name].trim());
  if (replaced.length > 0) throw settingsChanged(new Map(replaced.map((name) => [name, shownNow(name, now)])));
  const asked = (name: SettingName) => (changed.includes(name) ? sent.entered[name].trim() : undefined);
  const failFast = asked('failFast');
  const minutes = asked('timeoutMinutes');
  const tags = asked('tags');
  return {
    name: asked('name'),
    defaultBranchName: asked('defaultBranchName'),
    failFast: failFast === undefined ? undefined : failFast === 'true',
    inactivityTimeoutSeconds: minutes === undefined ? undefined : Math.round(Number(minutes) * 60),
    tags: tags === undefined ? undefined : enteredTags(tags),
    retention: enteredRetention({
      resultsDays: asked('resultsDays'),
      evidenceDays: asked('evidenceDays'),
      filesDays: asked('filesDays'),
    }),
  };
}

/**
 * The current value of a setting, for the message about a conflict. A checkbox never causes a conflict, because two
 * people who both change it choose the same value.
 */
const shownNow = (name: SettingName, now: SettingsEntries): string =>
  `${SETTING_NAMES[name]} is now ${now[name] || (name === 'tags' ? 'empty' : 'the default')}`;

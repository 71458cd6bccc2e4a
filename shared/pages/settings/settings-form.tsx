/** The settings of a project as a form, or as text for people who may not change them. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import type { Retention } from '#shared/model/runs/retention.ts';
import { getFieldName, toSettingsEntries } from '#shared/organizations/entered-settings.ts';
import { formatRetentionDays, RETENTION_NAMES, RETENTIONS } from '#shared/organizations/retention-inputs.ts';
import { formatSetting, PROJECT_SETTINGS, SETTING_NAMES } from '#shared/organizations/setting-declarations.ts';
import type { Setting } from '#shared/organizations/setting-kinds.ts';
import { TextField } from '#shared/pages/design/fields.tsx';
import { formatDuration, formatQuantity } from '#shared/pages/design/format.tsx';
import { Fact, GroupHead } from '#shared/pages/design/parts.tsx';
import { linkToProjectSettings } from '#shared/pages/shell/hrefs.ts';
import { findInputProblem, RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { SettingField } from './project-fields.tsx';
import { encodeSeenEntries, mergeEntries } from './settings-wire.ts';

export interface SettingsProps extends WithForms<ProjectVisit> {
  readonly project: ProjectRecord;
  readonly defaultRetention: Retention;
}

const KEPT: Readonly<Record<keyof Retention, string>> = {
  resultsDays: 'Runs with their tests and history',
  evidenceDays: 'Steps, output and trace analyses of failed and flaky tests',
  filesDays: 'Traces, screenshots, videos and attachments',
};

const formatDays = (days: number | null): string => (days === null ? 'forever' : formatQuantity(days, 'day'));

/** How people read the text of a setting. */
const FORMATS: Readonly<Record<Setting<unknown>['kind'], (text: string) => string>> = {
  line: (text) => text,
  labels: (text) => text || 'none',
  duration: (seconds) => formatDuration(Number(seconds) * 1000),
  flag: (text) => (text === 'true' ? 'yes' : 'no'),
};

const FORM_ORDER = Object.keys(FORMATS).flatMap((kind) =>
  SETTING_NAMES.filter((name) => PROJECT_SETTINGS[name].kind === kind),
);

export const SettingsText = ({ project, defaultRetention }: SettingsProps): Html => (
  <dl class="facts card" id="general">
    {SETTING_NAMES.filter((name) => name !== 'name').map((name) => {
      const { kind, label } = PROJECT_SETTINGS[name];
      return <Fact name={label}>{FORMATS[kind](formatSetting(project, name))}</Fact>;
    })}
    {RETENTIONS.map((name) => (
      <Fact name={`Days to keep ${RETENTION_NAMES[name]}`}>
        {formatRetentionDays(project.retention, name)} <small>(default: {formatDays(defaultRetention[name])})</small>
      </Fact>
    ))}
  </dl>
);

export function SettingsForm({ visit, project, defaultRetention, refused }: SettingsProps): Html {
  const storedEntries = toSettingsEntries(project);
  const shownEntries = mergeEntries(refused, storedEntries);
  const about = (name: string) => findInputProblem(refused, 'submitProjectSettings', name);
  return (
    <form method="post" action={linkToProjectSettings(visit)}>
      <RefusalMessage refused={refused} of="submitProjectSettings" />
      <input type="hidden" name="seen" value={encodeSeenEntries(storedEntries)} />
      <GroupHead
        title="General"
        note="The name, default branch and tags of the project, and when its runs end early."
        id="general"
      />
      <div class="panel setting-rows">
        {FORM_ORDER.map((setting) => {
          const name = getFieldName(setting);
          return <SettingField {...{ setting, value: shownEntries[name], problem: about(name) ?? about(setting) }} />;
        })}
      </div>
      <GroupHead
        title="Retention"
        note="Changes apply only to runs that are created afterwards. Evidence and files are never kept longer than the results."
        id="retention"
      />
      <div class="panel setting-rows">
        {RETENTIONS.map((name) => (
          <TextField
            label={`Days to keep ${RETENTION_NAMES[name]}`}
            name={name}
            value={shownEntries[name]}
            problem={about(name)}
            hint={`${KEPT[name]}. Enter a number of days, or “forever”. Leave the field empty for the default: ${formatDays(defaultRetention[name])}`}
          />
        ))}
        <footer>
          <span>The general settings and the retention are saved together.</span>
          <span class="grow" />
          <button type="submit">Save settings</button>
        </footer>
      </div>
    </form>
  );
}

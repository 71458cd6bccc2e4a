/** The fields of the settings of a project, in the form for a new project and in that for its settings. */
import type { Html } from '#shared/engine/html/html.ts';
import { getFieldName } from '#shared/organizations/entered-settings.ts';
import { PROJECT_SETTINGS, type SettingName } from '#shared/organizations/setting-declarations.ts';
import { CheckField, TextField } from '#shared/pages/design/fields.tsx';

interface Props {
  readonly setting: SettingName;
  readonly value: string | undefined;
  readonly problem: string | undefined;
}

export function SettingField({ setting, value, problem }: Props): Html {
  const { kind, attributes, hint, label: settingLabel, fieldLabel: label = settingLabel } = PROJECT_SETTINGS[setting];
  const name = getFieldName(setting);
  if (kind === 'flag') return <CheckField {...{ label, name }} value="true" checked={value === 'true'} />;
  return <TextField {...{ label, name, value, problem, hint }} {...attributes} />;
}

/** The fields of the project settings form. */
import * as z from 'zod';
import { getFieldName, listChangedFields, type SettingsEntries } from '#shared/organizations/entered-settings.ts';
import { RETENTIONS } from '#shared/organizations/retention-inputs.ts';
import { PROJECT_SETTINGS, SETTING_NAMES } from '#shared/organizations/setting-declarations.ts';
import type { RefusedForm } from '#shared/pages/shell/view.ts';

/** Browsers do not send unchecked checkboxes, so their fields have a default. */
const Entries = z.object(
  Object.fromEntries<z.ZodType<string>>([
    ...RETENTIONS.map((name) => [name, z.string()] as const),
    ...SETTING_NAMES.map(
      (name) =>
        [getFieldName(name), PROJECT_SETTINGS[name].kind === 'flag' ? z.string().default('') : z.string()] as const,
    ),
  ]),
);

/** The values that the person entered, and the values that the form showed initially. */
export const SentSettings = z
  .looseObject({ seen: z.string() })
  .transform(
    ({ seen, ...entered }): Record<'entered' | 'seen', Record<string, unknown>> => ({
      entered,
      seen: Object.fromEntries(new URLSearchParams(seen)),
    }),
  )
  .pipe(z.object({ entered: Entries, seen: Entries }));

/** Encodes the settings that the form shows, for its hidden field `seen`. */
export const encodeSeenEntries = (entries: SettingsEntries): string => new URLSearchParams(entries).toString();

/** After a refusal: the values that the person changed, and the stored values of all other settings. */
export function mergeEntries(refusal: RefusedForm | undefined, storedEntries: SettingsEntries): SettingsEntries {
  const { data } = SentSettings.safeParse(refusal?.values);
  const changedEntries = data ? listChangedFields(data).map((name) => [name, data.entered[name]]) : [];
  return { ...storedEntries, ...Object.fromEntries(changedEntries) };
}

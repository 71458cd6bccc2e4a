/** The fields of the project settings form. */
import * as z from 'zod';
import { listChangedSettings, type SettingsEntries } from '#shared/organizations/entered-settings.ts';
import type { RefusedForm } from '#shared/pages/shell/view.ts';

const ENTRIES = {
  name: z.string(),
  defaultBranchName: z.string(),
  timeoutMinutes: z.string(),
  /** A checkbox. Its default is an empty text, because browsers do not send unchecked checkboxes. */
  failFast: z.string().default(''),
  tags: z.string(),
  resultsDays: z.string(),
  evidenceDays: z.string(),
  filesDays: z.string(),
};

/** Encodes the settings that the form shows, for its hidden field `seen`. */
export const encodeSeenEntries = (entries: SettingsEntries): string => new URLSearchParams({ ...entries }).toString();

export const SETTINGS_FIELDS = {
  ...ENTRIES,
  seen: z
    .string()
    .transform((text) => Object.fromEntries(new URLSearchParams(text)))
    .pipe(z.object(ENTRIES)),
};

/** After a refusal: the values that the person changed, and the stored values of all other settings. */
export function mergeEntries(refusal: RefusedForm | undefined, storedEntries: SettingsEntries): SettingsEntries {
  const form = z.object(SETTINGS_FIELDS).safeParse(refusal?.values);
  if (!form.success) return storedEntries;
  const { seen, ...entries } = form.data;
  const changedEntries = listChangedSettings({ entered: entries, seen }).map((name) => [name, entries[name]]);
  return { ...storedEntries, ...Object.fromEntries(changedEntries) };
}

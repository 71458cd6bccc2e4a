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
export const seenText = (shown: SettingsEntries): string => new URLSearchParams({ ...shown }).toString();

export const SETTINGS_FIELDS = {
  ...ENTRIES,
  seen: z
    .string()
    .transform((text) => Object.fromEntries(new URLSearchParams(text)))
    .pipe(z.object(ENTRIES)),
};

/**
 * The values that the form shows. After a refusal, these are the values that the person changed, and the stored values
 * of all other settings.
 */
export function entriesAfter(refused: RefusedForm | undefined, stored: SettingsEntries): SettingsEntries {
  const sent = z.object(SETTINGS_FIELDS).safeParse(refused?.values);
  if (!sent.success) return stored;
  const { seen, ...entered } = sent.data;
  const changed = listChangedSettings({ entered, seen }).map((name) => [name, entered[name]]);
  return { ...stored, ...Object.fromEntries(changed) };
}

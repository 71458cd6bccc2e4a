/** The fields of the form that changes the settings of a project. */
import * as z from 'zod';
import { changedSettings, type SettingsEntries } from '#shared/organizations/entered-settings.ts';
import type { RefusedForm } from './view.ts';

const ENTRIES = {
  name: z.string(),
  defaultBranchName: z.string(),
  timeoutMinutes: z.string(),
  /** Browsers do not send a box that is not checked. */
  failFast: z.string().default(''),
  resultsDays: z.string(),
  evidenceDays: z.string(),
  filesDays: z.string(),
};

const Entries = z.object(ENTRIES);

/** The settings that the form showed, in one hidden field. */
export const seenText = (shown: SettingsEntries): string => new URLSearchParams({ ...shown }).toString();
const Seen = z
  .string()
  .transform((text) => Object.fromEntries(new URLSearchParams(text)))
  .pipe(Entries);

export const SETTINGS_FIELDS = { ...ENTRIES, seen: Seen };

/** The entries to show after a refusal: what the person changed, and else what is stored now. */
export function entriesAfter(refused: RefusedForm | undefined, stored: SettingsEntries): SettingsEntries {
  const sent = z.object(SETTINGS_FIELDS).safeParse(refused?.values);
  if (!sent.success) return stored;
  const { seen, ...entered } = sent.data;
  const changed = changedSettings({ entered, seen }).map((name) => [name, entered[name]]);
  return { ...stored, ...Object.fromEntries(changed) };
}

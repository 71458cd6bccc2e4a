/** The fields of the form with the settings of issue automation. */
import * as z from 'zod';
import { AUTOMATION_LIMITS } from '#shared/issues/automation/limits.ts';
import type { AutomationSettings } from '#shared/issues/automation/settings.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import { checkbox } from '#shared/pages/shell/form-wire.ts';

const { passes, failures, perDay } = AUTOMATION_LIMITS;

/** Forms send numbers as text. */
const parseNumber = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() !== '' ? Number(value) : undefined;
const within = ({ minimum, maximum }: { readonly minimum: number; readonly maximum: number }) =>
  z.int().min(minimum).max(maximum);
const entry = z.string().trim().max(ISSUE_LIMITS.trackerIdCharacters).default('');

export const ISSUE_AUTOMATION_FIELDS = {
  /** The version of the settings that the form shows. */
  version: z.preprocess(parseNumber, z.int().min(0)),
  integrationId: entry,
  trackerProjectId: entry,
  issueTypeId: entry,
  reportsAgain: checkbox,
  /** An empty field turns the setting off. */
  closesAfterPasses: z.preprocess(parseNumber, within(passes).optional()),
  createsAfterFailures: z.preprocess(parseNumber, within(failures).optional()),
  createsWhenFlaky: checkbox,
  createsPerDay: z.preprocess(parseNumber, within(perDay)),
  quarantines: checkbox,
};

export const toAutomationSettings = ({
  integrationId,
  trackerProjectId,
  issueTypeId,
  closesAfterPasses,
  createsAfterFailures,
  ...otherFields
}: z.output<z.ZodObject<typeof ISSUE_AUTOMATION_FIELDS>>): AutomationSettings => ({
  ...otherFields,
  ...(integrationId === ''
    ? {}
    : { target: { integrationId, trackerProjectId, ...(issueTypeId === '' ? {} : { issueTypeId }) } }),
  ...(closesAfterPasses === undefined ? {} : { closesAfterPasses }),
  ...(createsAfterFailures === undefined ? {} : { createsAfterFailures }),
});

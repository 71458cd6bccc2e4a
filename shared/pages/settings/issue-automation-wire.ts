/** The fields of the form with the settings of issue automation. */
import * as z from 'zod';
import { AUTOMATION_LIMITS } from '#shared/issues/automation/limits.ts';
import type { AutomationSettings } from '#shared/issues/automation/settings.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';

const { passes, failures, perDay } = AUTOMATION_LIMITS;

/** Forms send numbers as text. */
const numberIn = (sent: unknown): unknown =>
  typeof sent === 'string' && sent.trim() !== '' ? Number(sent) : undefined;
const within = ({ minimum, maximum }: { readonly minimum: number; readonly maximum: number }) =>
  z.int().min(minimum).max(maximum);
const checkbox = z.string().default('');
const entry = z.string().trim().max(ISSUE_LIMITS.trackerIdCharacters).default('');

export const ISSUE_AUTOMATION_FIELDS = {
  /** The version of the settings that the form shows. */
  version: z.preprocess(numberIn, z.int().min(0)),
  integrationId: entry,
  trackerProjectId: entry,
  issueTypeId: entry,
  reportsAgain: checkbox,
  /** An empty field turns the setting off. */
  closesAfterPasses: z.preprocess(numberIn, within(passes).optional()),
  createsAfterFailures: z.preprocess(numberIn, within(failures).optional()),
  createsWhenFlaky: checkbox,
  createsPerDay: z.preprocess(numberIn, within(perDay)),
  quarantines: checkbox,
};

type Entered = z.output<z.ZodObject<typeof ISSUE_AUTOMATION_FIELDS>>;

const isOn = (sent: string): boolean => sent === 'true';

export const enteredAutomation = ({
  version,
  integrationId,
  trackerProjectId,
  issueTypeId,
  reportsAgain,
  closesAfterPasses,
  createsAfterFailures,
  createsWhenFlaky,
  createsPerDay,
  quarantines,
}: Entered): AutomationSettings => ({
  version,
  ...(integrationId === ''
    ? {}
    : { target: { integrationId, trackerProjectId, ...(issueTypeId === '' ? {} : { issueTypeId }) } }),
  reportsAgain: isOn(reportsAgain),
  ...(closesAfterPasses === undefined ? {} : { closesAfterPasses }),
  ...(createsAfterFailures === undefined ? {} : { createsAfterFailures }),
  createsWhenFlaky: isOn(createsWhenFlaky),
  createsPerDay,
  quarantines: isOn(quarantines),
});

import { DAY_MILLISECONDS } from '#shared/engine/durations.ts';

/** Limits of stored results. */
export const INGEST_LIMITS = {
  /** The maximum number of distinct test tags that are stored with a spec file. Events contain these tags. */
  tagsPerSpec: 300,
  /** Maximum screenshots per spec file on the page of the run. The page of the spec file shows all. */
  picturesPerSpec: 8,
  /** If a start time is further in the past or in the future than these limits, the machine's clock is wrong. */
  oldestStartMilliseconds: 400 * DAY_MILLISECONDS,
  newestStartMilliseconds: DAY_MILLISECONDS,
  commitSubjectCharacters: 200,
  /** The maximum size of the steps and output of all attempts of a test: UTF-8 bytes of their JSON. */
  evidenceBytes: 1024 * 1024,
  /** Bytes per attempt for all but its steps and output: brackets, names, and notes on what was left out. */
  attemptBytes: 200,
  /** If the evidence is too large, error messages with more characters than this are left out of its steps. */
  shortMessageCharacters: 4096,
  /** The characters of a message and of a stack in which the traits of the cause of a failure are sought. */
  causeCharacters: 4096,
  /** The parts of the tests of one spec file that a transaction can replace: DynamoDB accepts 4 MB. */
  replacedParts: 10,
  /** The time within which a deployment has replaced all functions. */
  deploymentMilliseconds: DAY_MILLISECONDS,
} as const;

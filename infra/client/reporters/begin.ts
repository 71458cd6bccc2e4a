/** How every reporter begins: it reads its settings, and prints the reason if it records nothing. */
import type { ReporterOptions } from '../package/reporter.d.ts';
import { CommandFailure, getErrorMessage } from '../settings/failure.ts';
import type { Framework } from './messages.ts';
import { Recorder } from './recorder.ts';
import { readReporterSettings, type Settings } from './settings.ts';

export interface ReporterSession {
  readonly recorder: Recorder;
  readonly settings: Settings;
}

/** Returns `undefined` if nothing is recorded. The test run then continues without Rundown. */
export function beginSession(options: ReporterOptions, framework: Framework): ReporterSession | undefined {
  try {
    const settings = readReporterSettings(options);
    if (settings) return { recorder: new Recorder(settings, framework), settings };
    console.error(
      'Rundown  nothing is recorded, because RUNDOWN_DSN is not set, and RUNDOWN_URL, RUNDOWN_PROJECT and RUNDOWN_API_KEY are not all set',
    );
  } catch (error) {
    const next = error instanceof CommandFailure ? `. ${error.next}` : '';
    console.error(`Rundown  nothing is recorded: ${getErrorMessage(error)}${next}`);
  }
  return undefined;
}

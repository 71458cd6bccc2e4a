import { describe, expect, test } from 'vitest';
import { sampled } from '#test/harness/cases.ts';
import { run } from '#test/infra/local/child.ts';
import { HOSTILE } from './large-files.ts';
import { MeasuredParsing } from './measured-parsing.ts';

const MOST_BYTES = 250 * 1024 * 1024;
const MILLISECONDS_PER_MEGABYTE = 200;
const MEGABYTE = 1024 * 1024;

describe('A hostile report', () => {
  test.each(sampled(Object.entries(HOSTILE), 4))(
    'Parsing a hostile report takes less than 250 MB of memory, and time in proportion to its size: %s',
    async (name, { answer }) => {
      const { output } = await run(['--max-old-space-size=256', 'test/reports/measured-parsing.ts', name]);
      const measured = MeasuredParsing.parse(JSON.parse(output));
      expect(measured.answer).toBe(answer);
      expect(measured.growthBytes).toBeLessThan(MOST_BYTES);
      expect(measured.milliseconds).toBeLessThan(2000 + (measured.bytes / MEGABYTE) * MILLISECONDS_PER_MEGABYTE);
    },
  );
});

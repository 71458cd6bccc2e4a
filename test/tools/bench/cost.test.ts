import { describe, expect, test } from 'vitest';
import { readCostDocuments, withCosts } from './cost-documents.ts';
import { readCountedCosts } from './counted-costs.ts';
import { type Choices, DEFAULTS, findWay, partsOfMonth } from './prod-cost.ts';
import { sum } from './sum.ts';

describe('Costs in documents', () => {
  test('The documents quote exactly the costs that follow from the stored result of npm run cost and the prices', async () => {
    const counted = await readCountedCosts();
    const documents = await readCostDocuments();
    for (const { file, text, parts } of documents)
      expect(text, `Run \`npm run cost -- --stored\`, which corrects ${file}`).toBe(withCosts(text, parts, counted));
    expect(documents.flatMap(({ text }) => text.match(/<!-- costs: .+ -->/g) ?? [])).toHaveLength(
      documents.flatMap(({ parts }) => parts).length,
    );
  });

  test('An amount that is edited by hand, and a stored result that the documents do not quote yet, are both noticed', async () => {
    const counted = await readCountedCosts();
    const { ways, prod } = counted;
    const costlier = { ...ways.oursQuick, writeUnits: ways.oursQuick.writeUnits * 1.1 };
    const results = [
      { ...counted, ways: { ...ways, oursQuick: costlier } },
      { ...counted, prod: { ...prod, alarmMetrics: prod.alarmMetrics + 1 } },
    ];
    for (const { text, parts } of await readCostDocuments()) {
      const edited = text.replace(/(?<=<!-- costs: months -->[\s\S]+?\$)\d/, '7');
      expect(edited).not.toBe(text);
      expect(withCosts(edited, parts, counted)).not.toBe(edited);
      expect(results.some((result) => withCosts(text, parts, result) !== text)).toBe(true);
      expect(() => withCosts(text.replace('<!-- costs: months -->', ''), parts, counted)).toThrow('"months"');
    }
  });
});

describe('A month of prod', () => {
  const dollars = async (tests: number, choices: Partial<Choices> = {}) => {
    const counted = await readCountedCosts();
    return partsOfMonth(counted, findWay(counted, 'oursSlow'), tests, { ...DEFAULTS, ...choices });
  };

  test('has the files of failed tests as its largest part: 12 million tests are 8.3 TB, with what was deleted', async () => {
    const parts = await dollars(12_000_000);
    // 400,000 tests a day, 2 % of them fail twice, with 4.1 MB each time. 90 days, 36 of deleted files, one of uploads.
    const gigabytes = 400_000 * 0.02 * 2 * 4.1 * 0.001 * (90 + 36 + 1);
    expect(gigabytes).toBeCloseTo(8331, 0);
    expect(parts.files).toBeCloseTo(gigabytes * 0.023, 2);
    expect(Math.max(...Object.values(parts))).toBe(parts.files);
  });

  test('has the results of a year, each item with 100 bytes that DynamoDB adds, and their recovery', async () => {
    const { bytes, items } = (await readCountedCosts()).ways.oursSlow;
    const parts = await dollars(1_000_000);
    expect(items).toBeGreaterThan(1);
    expect(parts.results).toBeCloseTo(((bytes + 100 * items) / 1000) * (365 / 30) * (0.25 + 0.2), 2);
  });

  test('costs less with each remedy alone, and Standard-IA for the table costs more if nothing is kept', async () => {
    const whole = async (choices: Partial<Choices> = {}) => sum(Object.values(await dollars(300_000_000, choices)));
    const normal = await whole();
    const remedies: Partial<Choices>[] = [
      { filesDays: 30 },
      { resultsDays: 90 },
      { tableClass: 'infrequent' },
      { fileClass: 'tiered' },
      { fileClass: 'infrequent' },
    ];
    for (const remedy of remedies) expect(await whole(remedy)).toBeLessThan(normal);
    const short = await whole({ resultsDays: 1 });
    expect(await whole({ resultsDays: 1, tableClass: 'infrequent' })).toBeGreaterThan(short);
  });
});

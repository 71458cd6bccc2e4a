import { describe, expect, test } from 'vitest';
import { readCostDocuments, withCosts } from './cost-documents.ts';
import { readCountedCosts } from './counted-costs.ts';

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

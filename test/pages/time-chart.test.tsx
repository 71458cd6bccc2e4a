import { parseFragment } from 'parse5';
import { describe, expect, test } from 'vitest';
import { formatDuration, formatShortDate } from '#shared/pages/design/format.tsx';
import { TimeChart } from '#shared/pages/design/time-chart.tsx';
import { attribute, elementsIn, textOf } from '#test/harness/elements.ts';

const DAY = 86_400_000;
const START = Date.UTC(2026, 8, 1);

const parse = (html: unknown) => elementsIn(parseFragment(String(html)));
type Elements = ReturnType<typeof parse>;
const withClass = (elements: Elements, name: string) =>
  elements.filter((one) => attribute(one, 'class')?.split(' ').includes(name));
const percent = (text: string | undefined): number => Number(text?.replace('%', ''));

const draw = (count: number, textAt: (index: number) => string = () => '') =>
  parse(
    <TimeChart
      label="Runs"
      series={[{ name: 'passed', tone: 'passed' }]}
      buckets={Array.from({ length: count }, (_, index) => ({
        name: formatShortDate(START + index * DAY),
        ...(textAt(index) !== '' && { tick: textAt(index) }),
        values: [index + 1],
      }))}
    />,
  );

/** How far the center of each date is from the center of the bar of that date, in buckets. */
function measureDates(elements: Elements, count: number): number[] {
  const bars = new Map(
    elements
      .filter(({ nodeName }) => nodeName === 'g')
      .map((bucket) => {
        const [title, , bar] = elementsIn(bucket).slice(1);
        const center = percent(bar && attribute(bar, 'x')) + percent(bar && attribute(bar, 'width')) / 2;
        return [title ? textOf(title).split(':')[0] : '', center] as const;
      }),
  );
  const axis = withClass(elements, 'axis').flatMap((svg) => elementsIn(svg).slice(1));
  return axis
    .filter(({ nodeName }) => nodeName === 'text')
    .map((date) => {
      expect(attribute(date, 'text-anchor')).toBe('middle');
      return ((percent(attribute(date, 'x')) - (bars.get(textOf(date)) ?? Number.NaN)) / 100) * count;
    });
}

describe('A chart over time', () => {
  test.each([7, 14, 30, 31, 90])(
    'of %i days has each date within 0.2 days of its bar, and names the last day',
    (count) => {
      const elements = draw(count);
      const distances = measureDates(elements, count);
      expect(distances.length).toBeGreaterThanOrEqual(4);
      expect(distances.length).toBeLessThanOrEqual(6);
      for (const distance of distances) expect(Math.abs(distance)).toBeLessThan(0.2);
      const last = withClass(elements, 'axis').map(textOf).join('');
      expect(last).toContain(formatShortDate(START + (count - 1) * DAY));
    },
  );

  test('has nothing but the width of its buckets in the drawing of the bars, with values left of it and dates below it', () => {
    const [plot] = withClass(draw(14), 'plot');
    const parts = plot?.childNodes.map((part) => elementsIn(part)) ?? [];
    const [values = [], bars = [], dates = []] = parts;
    expect(parts).toHaveLength(3);
    expect(values.filter(({ nodeName }) => nodeName === 'text').map(textOf)).toEqual(['0', '5', '10', '15']);
    expect(bars.filter(({ nodeName }) => nodeName === 'text')).toEqual([]);
    expect(dates.filter(({ nodeName }) => nodeName === 'text').length).toBeGreaterThan(0);
  });

  test('draws the bar of a single day as narrow as one of several', () => {
    const widthOf = (count: number) => {
      const [bucket] = draw(count).filter(({ nodeName }) => nodeName === 'g');
      const bars = bucket ? elementsIn(bucket).filter((one) => attribute(one, 'class') === 'passed') : [];
      return percent(bars[0] && attribute(bars[0], 'width'));
    };
    expect([1, 2, 10, 20].map(widthOf)).toEqual([6, 6, 6, 3]);
  });

  test.each([
    [
      [0, 0],
      ['0', '1', '2'],
    ],
    [[1], ['0', '1', '2']],
    [[9], ['0', '5', '10']],
    [[1234], ['0', '500', '1,000', '1,500']],
  ])('of the counts %j has the values %j', (counts, texts) => {
    const elements = parse(
      <TimeChart
        label="Runs"
        series={[{ name: 'passed', tone: 'passed' }]}
        buckets={counts.map((value) => ({ name: '1 Nov', values: [value] }))}
      />,
    );
    expect(withClass(elements, 'tick').map(textOf)).toEqual(texts);
  });

  test.each([
    [340, ['0', '100 ms', '200 ms', '300 ms', '400 ms']],
    [95_000, ['0', '30 s', '1 min', '1.5 min', '2 min']],
    [8 * 60_000, ['0', '2 min', '4 min', '6 min', '8 min']],
    [3 * 3_600_000, ['0', '1 h', '2 h', '3 h']],
  ])('of durations up to %i ms has the values %j', (most, texts) => {
    const elements = parse(
      <TimeChart
        label="Duration"
        kind="line"
        isDuration
        textOf={formatDuration}
        series={[{ name: 'median', tone: 'c1' }]}
        buckets={[
          { name: '1 Nov', values: [most] },
          { name: '2 Nov', values: [null] },
        ]}
      />,
    );
    expect(withClass(elements, 'tick').map(textOf)).toEqual(texts);
  });

  test('draws a line for each series, and a dashed line with its name for each release', () => {
    const elements = parse(
      <TimeChart
        label="Duration"
        kind="line"
        series={[
          { name: 'median', tone: 'c1' },
          { name: 'before', tone: 'c1', isFaint: true },
        ]}
        marks={[{ name: '2.4.0', at: 0.25 }]}
        buckets={[1, 2, 4].map((value) => ({ name: `${value} Nov`, values: [value, null] }))}
      />,
    );
    expect(elements.filter(({ nodeName }) => nodeName === 'circle')).toHaveLength(3);
    const [mark] = withClass(elements, 'moment').filter(({ nodeName }) => nodeName === 'g');
    const line = mark && elementsIn(mark).find(({ nodeName }) => nodeName === 'line');
    expect([mark && textOf(mark), line && attribute(line, 'x1')]).toEqual(['2.4.0\u00A02.4.0\u00A0', '25.00%']);
  });

  test('keeps usual values apart beside an outlier, whose value it writes at the upper end', () => {
    const minutes = [1, 2, 1, 2, 300].map((value) => value * 60_000);
    const elements = parse(
      <TimeChart
        label="Duration"
        kind="line"
        series={[{ name: 'median', tone: 'c1' }]}
        isDuration
        textOf={formatDuration}
        buckets={minutes.map((value, index) => ({ name: `${index + 1} Nov`, values: [value] }))}
      />,
    );
    const circles = elements.filter(({ nodeName }) => nodeName === 'circle');
    const [low = 0, high = 0, , , highest = 0] = circles.map((circle) => Number(attribute(circle, 'cy')));
    expect(low - high).toBeGreaterThan(50);
    expect(high).toBeGreaterThanOrEqual(highest);
    expect(withClass(elements, 'tick').map(textOf).join(' ')).toContain(`↑ ${formatDuration(300 * 60_000)}`);
  });
});

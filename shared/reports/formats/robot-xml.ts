/** The output files of Robot Framework as XML, which it writes since version 4. */

import type { Format } from '#shared/reports/format.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { getZone, parseTime, roundDuration } from '#shared/reports/times.ts';
import {
  ElementReader,
  findChild,
  getAttribute,
  getText,
  listChildren,
  type OuterElement,
  type XmlElement,
} from '#shared/reports/xml/element-reader.ts';
import { type Header, nameKeyword } from './robot-keyword-name.ts';
import { RobotReport, type Suite } from './robot-report.ts';
import type { Keyword, Status } from './robot-test.ts';

export const ROBOT_XML: Format = {
  format: 'robot-xml',
  recognizes: ({ root }) => root === 'robot',
  parse: parseRobotXml,
};

const OLD_TIME = /^(\d{4})(\d{2})(\d{2}) (\d{2}:\d{2}:\d{2}\.\d{1,9})$/;
const normalizeTime = (text: string): string => text.replace(OLD_TIME, '$1-$2-$3T$4');

/** The types of JSON, by name of an element that is called otherwise. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['if', 'if/else root'],
  ['try', 'try/except root'],
  ['iter', 'iteration'],
  ['variable', 'var'],
]);

/** A variable with its value in an iteration, `${i} = 0`. */
function nameVariable(element: XmlElement): string {
  const name = getAttribute(element, 'name');
  return name === '' ? getText(element) : `${name} = ${getText(element)}`;
}

const BUILT: ReadonlySet<string> = new Set(['test', 'kw', 'msg', 'status']);

async function parseRobotXml(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const robot = new RobotReport(input);
  const zone = getZone(input.timezone);
  const suites = new Map<OuterElement, Suite>();
  const readTime = (value: string) => parseTime(normalizeTime(value), zone, input.now);
  const readStatus = (element: XmlElement): Status => {
    const status = findChild(element, 'status') ?? element;
    const startedAt = readTime(getAttribute(status, 'start') || getAttribute(status, 'starttime'));
    const end = readTime(getAttribute(status, 'endtime'));
    const seconds = Number(getAttribute(status, 'elapsed'));
    const duration = end !== null && startedAt !== null ? end - startedAt : seconds * 1000;
    return {
      word: getAttribute(status, 'status'),
      startedAt,
      duration: roundDuration(duration),
      message: getText(status),
    };
  };
  const readHeader = (element: XmlElement): Header => {
    const type = getAttribute(element, 'type').toLowerCase() || (TYPES.get(element.name) ?? element.name);
    const list = (...names: readonly string[]) => names.flatMap((name) => listChildren(element, name));
    // The statement VAR has its values in elements that have variables elsewhere.
    const isVariable = type === 'var';
    return {
      type,
      name: getAttribute(element, 'name'),
      condition: getAttribute(element, 'condition') || getAttribute(element, 'flavor'),
      variables: isVariable ? [] : list('var').map(nameVariable),
      values: [
        ...list('arg', 'value', 'pattern', ...(isVariable ? ['var'] : [])),
        ...listChildren(findChild(element, 'arguments'), 'arg'),
      ].map(getText),
    };
  };
  const readKeyword = (element: XmlElement): Keyword => {
    const header = readHeader(element);
    return {
      name: nameKeyword(header),
      type: header.type,
      status: readStatus(element),
      messages: listChildren(element, 'msg').map((one) => ({ level: getAttribute(one, 'level'), text: getText(one) })),
      body: element.children.filter(({ name }) => KEYWORDS.has(name)).map(readKeyword),
    };
  };
  const take = (element: XmlElement, outer: OuterElement) => {
    const suite = suites.get(outer);
    if (element.name === 'msg') robot.warn(getAttribute(element, 'level'), getText(element));
    else if (element.isCut) return;
    else if (element.name === 'status') {
      if (!outer.parent || outer.parent.name === 'robot') robot.startedAt ??= readStatus(element).startedAt;
    } else if (element.name === 'test') {
      const tags = [...listChildren(element, 'tag'), ...listChildren(findChild(element, 'tags'), 'tag')].map(getText);
      const { status, body } = readKeyword(element);
      robot.add({ name: getAttribute(element, 'name'), tags, status, body }, suite);
    } else if (suite && /^teardown$/i.test(getAttribute(element, 'type'))) {
      const { word, message } = readStatus(element);
      if (word === 'FAIL') suite.failedTeardown = message || getText(findChild(element, 'msg')) || 'without a message';
    }
  };
  const reader = new ElementReader(
    {
      full: false,
      isBuilt: (name) => BUILT.has(name),
      open: (outer) => {
        if (outer.name !== 'suite') return;
        const parent = outer.parent && suites.get(outer.parent);
        suites.set(outer, { name: getAttribute(outer, 'name'), parent, failedTeardown: undefined, isEnded: false });
      },
      take,
      close: (outer, isCut) => {
        const suite = suites.get(outer);
        if (suite) suite.isEnded = !isCut;
        suites.delete(outer);
      },
    },
    input,
  );
  await reader.read(text);
  return robot.finish('robot-xml', robot.report.isIncomplete(reader));
}

const KEYWORDS: ReadonlySet<string> = new Set([
  'kw',
  'for',
  'while',
  'if',
  'try',
  'group',
  'iter',
  'branch',
  'return',
  'variable',
  'error',
  'continue',
  'break',
]);

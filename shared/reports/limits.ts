/** Limits of report files. Texts and lists beyond them are cut, and a file that is too large is refused. */
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';

export const REPORT_LIMITS = {
  /** For one file, or all reports of an archive: decompressed bytes, and `work`, which takes about half a minute. */
  reading: { bytes: 250 * 1024 * 1024, work: 30_000_000 },
  /** In microseconds of CPU time. `npm run bench` checks each number with a report of only that kind of content. */
  work: {
    file: 300,
    folderFile: 100,
    xmlEvent: 1,
    xmlElement: 2,
    xmlSuite: 4,
    /** A character that may begin an entity. */
    xmlAmpersand: 0.05,
    xmlTest: 35,
    /** Naming a test among the others of its file, and trimming its texts. */
    test: 25,
    /** The class, name and file of a test are taken apart in many ways. */
    nameCharacter: 0.2,
    jsonValue: 1,
    jsonName: 3,
    jsonContainer: 4,
    /** A bracket, comma, colon or beginning of a value, also outside the parts that are read. */
    jsonMark: 0.05,
    jsonPart: 40,
    /** Cleaning the parts of a title, and the name of the spec file. */
    titlePart: 1.5,
    titleCharacter: 0.03,
    step: 3,
    annotation: 2,
    attempt: 10,
    line: 8,
  },
  /** Files in one zip archive. Allure writes about ten for each test: tries, set-ups and tear-downs, attachments. */
  entriesPerArchive: 100_000,
  /** The maximum number of report files in one zip archive. */
  filesPerArchive: 1000,
  /** Of a compressed archive inside an archive, after decompression. It is held in memory. */
  nestedBytes: 64 * 1024 * 1024,
  /** Maximum nesting depth of XML elements. */
  depth: 64,
  /** Inside a test of an XML report: Robot Framework nests keywords, loops and groups. What is deeper is left out. */
  elementDepth: 256,
  elementsPerTest: 50_000,
  elementCharacters: 4 * 1024 * 1024,
  /** One line of a report in lines. A longer one is left out. */
  reportLineBytes: 4 * 1024 * 1024,
  /** Maximum nesting depth of suites in JSON, and of objects and lists: each suite is an object in a list. */
  suiteDepth: 500,
  jsonDepth: 1100,
  /** The maximum number of nested suites around a test. */
  suitesPerTest: 1000,
  testsPerFile: MODEL_LIMITS.testsPerRun,
  testsPerSpec: MODEL_LIMITS.testsPerSpec,
  attemptsPerTest: MODEL_LIMITS.attemptsPerTest,
  warnings: 100,
  warningCharacters: 300,
  runErrors: 20,
  runErrorCharacters: 2000,
  /** Errors, steps, output and embedded files (bytes) of all files of a request. They stay in memory until stored. */
  keptCharacters: 32 * 1024 * 1024,
  /** The maximum number of characters that an error message keeps once `keptCharacters` is used up. */
  shortMessageCharacters: 500,
  nameCharacters: MODEL_LIMITS.titleCharacters,
  statusCharacters: MODEL_LIMITS.idCharacters,
  errorsPerAttempt: RECORDING_LIMITS.errorsPerAttempt,
  messageCharacters: RECORDING_LIMITS.errorMessageCharacters,
  stackCharacters: RECORDING_LIMITS.errorStackCharacters,
  snippetCharacters: RECORDING_LIMITS.errorSnippetCharacters,
  outputCharacters: RECORDING_LIMITS.outputCharacters,
  stepsPerTest: RECORDING_LIMITS.stepsPerTest,
  stepDepth: RECORDING_LIMITS.stepDepth,
  stepTitleCharacters: RECORDING_LIMITS.stepTitleCharacters,
  annotationsPerTest: RECORDING_LIMITS.annotationsPerTest,
  annotationTypeCharacters: RECORDING_LIMITS.annotationTypeCharacters,
  annotationDescriptionCharacters: RECORDING_LIMITS.annotationDescriptionCharacters,
  tagsPerTest: RECORDING_LIMITS.tagsPerList,
  tagCharacters: RECORDING_LIMITS.tagCharacters,
  longestDuration: MODEL_LIMITS.attemptMilliseconds,
  filesPerReport: RECORDING_LIMITS.artifactsPerCall,
  /** The maximum size of an attachment of a test, in bytes. Larger attachments are left out. */
  attachmentBytes: 64 * 1024 * 1024,
  /** Of all attachments of a report. If a worker is killed, the next worker stores them all again. */
  attachmentsBytes: 1024 * 1024 * 1024,
  /** The others are only counted. As many warnings are reserved for files of an archive that are left out. */
  leftOutNames: 20,
  membersNamed: 5,
  fileNameCharacters: RECORDING_LIMITS.fileNameCharacters,
  /** The maximum number of attributes of an element. Further attributes are dropped. */
  attributesPerElement: 64,
  attributeCharacters: 64 * 1024,
  propertiesPerElement: 64,
  /** Markup that is neither text nor a complete tag. The parser stops reading beyond this limit. */
  markupCharacters: 4 * 1024 * 1024,
  /** Testcases that are examined to recognize the dialect. Also a limit on suites, root elements and comments. */
  sampledTests: 100,
  /** The maximum number of mentions of the spec file in a stack trace that are checked for a line number. */
  locationLines: 200,
  /** The maximum length of a string in a JSON report. A longer string is read as `null`. */
  jsonStringCharacters: 8 * 1024 * 1024,
  jsonNameCharacters: 1024,
  /** One part of a JSON report, such as the tests of a spec file with their attachments. */
  pieceCharacters: 48 * 1024 * 1024,
  /** One line of a Playwright blob report. A line holds the tests of a project, or attachments. */
  lineBytes: 32 * 1024 * 1024,
  /** The maximum number of JSON values in one line of a blob report. Each value takes additional memory. */
  lineValues: 3_000_000,
} as const;

'use strict';

// Reads and closes the Unreleased section of CHANGELOG.md (Keep a Changelog, headings `## 1.2.3 - 2026-01-31`).

const UNRELEASED = '## Unreleased';
const SECTION = /^## (?<name>Unreleased|\d+\.\d+\.\d+)(?: - (?<date>\d{4}-\d{2}-\d{2}))?$/gm;

/**
 * The sections in the order of the file.
 * @param {string} text
 * @returns {Array<{ name: string, date: string | undefined, notes: string }>}
 */
function sections(text) {
	const headings = [...text.matchAll(SECTION)];
	return headings.map((heading, index) => ({
		name: heading.groups.name,
		date: heading.groups.date,
		notes: text.slice(heading.index + heading[0].length, headings[index + 1]?.index).trim(),
	}));
}

/** The unreleased notes; empty if there are none. @param {string} text @returns {string} */
function unreleasedNotes(text) {
	const notes = sections(text).find(({ name }) => name === 'Unreleased')?.notes ?? '';
	// Headings alone, such as an empty "### Fixed", are not notes.
	return notes.replace(/^### .*$/gm, '').trim() === '' ? '' : notes;
}

/**
 * The text with its unreleased notes under a version, below a new and empty Unreleased.
 * @param {string} text
 * @param {string} version e.g. 1.2.3
 * @param {string} date e.g. 2026-01-31
 * @returns {string}
 */
function closeUnreleased(text, version, date) {
	return text.replace(UNRELEASED, `${UNRELEASED}\n\n## ${version} - ${date}`);
}

module.exports = { closeUnreleased, sections, unreleasedNotes };

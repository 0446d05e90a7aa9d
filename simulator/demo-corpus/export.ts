export const csvExport = `
Export to CSV | I can see my data in {p} but I cannot take it to our accountant. A plain CSV file would do.
CSV export of reports | Every month I copy a table by hand into a spreadsheet, row by row. Please add an export.
Export table as CSV | A button above the table that downloads exactly what is shown, filters included.
CSV export should respect filters | I filter for March and get a file with six years in it. Export what I see, please.
Choose the columns of the CSV export | Sixty columns arrive, I need four. Ticking them before the download would save me half an hour a week.
Semicolon as a separator in CSV export | In a Spanish Excel a comma is a decimal sign, so each row lands in one cell.
CSV export with UTF-8 BOM | Names with umlauts come out as hieroglyphs in Excel. Three bytes at the start of the file would cure that.
Scheduled CSV export by e-mail | The controller wants the same file each Monday at seven. I would like {p} to send it instead of me.
Export more than 10,000 rows | The CSV stops at ten thousand without a word, and our totals were wrong for a quarter.
Tell me when an export was cut | Silent limits are worse than limits. A line at the end of the CSV file would have been enough.
Export attachments together with the CSV | Links in the file expire after an hour, so the archive is worth nothing by lunch time.
Excel export beside CSV | Dates lose their format and phone numbers their zeros in CSV. A real xlsx file would keep them.
JSON export | CSV is fine for people, but our scripts would like the nested structure.
Export everything before I leave | I may not renew my contract and want all of my data in open formats. The law says so too.
Full account export | A zip with all projects as CSV and all files beside them. I sleep better when I have a copy.
Incremental export since a date | The nightly CSV is 2 GB, of which 2 MB changed.
Export comments as well | The CSV has the titles only. What people said about them is what I need for the interview analysis.
Anonymous export for researchers | I wish there were an option that leaves out names and addresses. Our ethics board insists on it.
Import the CSV that was exported | Export, correct a column, import again: the importer does not accept its own file.
Stable column order in CSV export | A new field moved all columns by one and broke our import at 2 am. It would be nice to have an option that appends new ones at the end.
Export charts as SVG | For the printed report I need vectors, and a screenshot is none.
PDF export with our logo | Clients get a file with somebody else's brand on it. White-label export would be worth the upgrade.
Export only selected rows | I tick twelve rows and the export ignores it.
Time zone of exported dates | The CSV says 22:00 and the screen says midnight. State the zone in the header, please.
Export to Google Sheets | A live sheet that refreshes each hour would replace three people who copy and paste.
! CSV export hangs at 99 % | Happens with two of our projects, since last Thursday. Support ticket is open.
! Has anyone a script that turns the CSV into a mind map? | Asking for a friend with a workshop tomorrow.
`

export const markdown = `
Markdown tables | Writing a table with pipes is quicker than any dialog, but {p} shows the pipes.
Markdown in comments | Bold and code work in documents and not in comments. I paste logs every day.
Keep Markdown when copying | Copying from {p} gives me rich text, and my terminal does not care for it. Could you add a command that copies a page as Markdown?
Paste Markdown as formatted text | A README that I paste stays a wall of asterisks.
Footnotes in Markdown | I write papers with {p} and number footnotes by hand like in 1985.
Mermaid diagrams in Markdown blocks | Code fences with "mermaid" could become diagrams, as they do on code hosts.
Math in Markdown with KaTeX | It would be great if {p} supported formulas between dollar signs. My students would thank you.
Export a page as Markdown | Our documentation moves to git, and there is no way to get it out with its headings.
Task lists in Markdown | Square brackets should become boxes that I can tick.
Collapsible sections | Long logs drown the discussion. A details block in Markdown would hide them.
Front matter for imported Markdown | Title and tags stand at the top of each file, and the import prints them as text.
Spell checking that ignores code | Red waves under every variable name in Markdown code blocks.
Live preview of Markdown beside the editor | I switch between writing and preview a hundred times per page.
Link to headings | It would be nice if each heading of a Markdown page had an address.
`

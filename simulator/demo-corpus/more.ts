export const undo = `
Undo for everything | I deleted a column and {p} asked nothing and offered nothing. Undo should not be limited to text.
Undo after deleting | Ten seconds with an undo button would be kinder than a dialog that everybody clicks away.
More than one step of undo | It goes back once, and my mistakes come in threes.
Trash with a restore button | Deleted is deleted, says support. Please add a bin that is emptied after a month.
Recover deleted projects | A trainee removed the wrong project. I would like to bring it back without a call to support.
Undo history that survives a reload | The browser crashed and took my way back with it.
Undo sent messages | Thirty seconds to call back a message would have kept a friendship.
Redo | Undo exists, its sister does not.
Show what undo will do | "Undo move of 12 cards" is better than "Undo", when I am not sure what I did last.
Undo in collaborative documents should only undo mine | I pressed Ctrl+Z and a colleague lost her sentence.
Draft recovery | The form timed out and forty minutes of writing were gone. Keep drafts on the device, please.
Protect against accidental drag | My palm moves cards across the board. It would be nice if undo caught that.
`
export const plugins = `
A plugin system | I need one button that nobody else needs. A plugin interface would keep such things out of your core.
Plugins in a sandbox | Plugins can read all of my files today. It would be great if {p} had an option to ask before one of them does.
Plugin store with reviews | Finding a good plugin means reading a forum of four years.
Update plugins automatically | Eleven plugins, eleven buttons, every week.
Plugin API for the sidebar | Commands are possible, panels are not. We would build a glossary at once.
Disable all plugins to find a fault | A safe mode would spare your support half of its tickets.
Plugins on mobile | My workflow rests on two plugins, and on the phone they do not exist.
Python plugins | JavaScript is not what scientists write. Could you add another language?
Signed plugins for companies | Our administrators want to allow three plugins and no others.
Themes as plugins | Designers of the community would love to share theirs.
`
export const dashboards = `
Custom dashboards | The start page shows what you find important. I would like to choose.
Dashboard on a wall screen | A TV in the workshop, no login, refreshed each minute. That is a dashboard for us.
Share a dashboard with clients | They ask each week how far we are. A link would answer.
Compare with last year in dashboards | A number alone says nothing about whether it is good.
Drill down from a chart | I see the peak on Tuesday and want to click on it.
Dashboard filters that stay | Each morning I choose my region again.
Goals in dashboards | A line for the target would make the curve mean something. Please add it.
Dashboard as PDF every month | The board reads paper.
Dashboard for several projects together | We run fourteen shops and look at fourteen pages.
Pie charts are not enough | A histogram would show what an average hides. I wish the dashboard had one.
Annotations in dashboards | The dip was a power cut, and in a year nobody will remember.
`
export const importing = `
Import from Notion | Two hundred pages wait for a way into {p}. Headings and pictures would have to survive.
Import from Evernote | ENEX files are accepted and then end as one endless note.
Import with a preview | I found out after 10,000 rows that the columns were swapped.
Undo an import | A wrong file, and now everything is there twice. One click to take it back, please.
Import pictures from a zip file | One by one is not a plan for four thousand.
Map columns while importing | Our field is called "client no.", yours is called "customer id". It would be nice if I could say so.
Import contacts from vCard | My phone can export them. Please add an import of vCard files to {p}.
Scheduled import from SFTP | Our supplier puts a file there each night. It would be nice if {p} could import it by itself.
Import errors by line | "Import failed" for 8,000 lines is not a message that helps.
Skip duplicates when importing | Every import adds my whole address book again.
`
export const customFields = `
Custom fields | We need a serial number for each item, and the description is the wrong place.
Required custom fields | Half of the tickets come without a version. I wish the form insisted.
Custom fields per project | Hardware has other questions than software. One set for all of them fits nobody.
Formula fields | Price times quantity should not be a job for a calculator.
Custom field for people | A reviewer is not an assignee, and I have no room for both.
Dropdowns that depend on each other | Country first, then only its cities. It would be great if custom fields could do that.
Search by custom field | The serial number is stored, but nobody finds the device with it.
Show custom fields on cards | I open each card to see one word.
Date fields with a reminder | Certificates expire quietly, and custom fields keep the secret.
Read-only custom fields | Our ERP writes the order number, and people overwrite it.
`
export const languages = `
Translate {p} into Ukrainian | I would help. Where are the texts?
Portuguese from Portugal | Brazilian is offered and reads odd to us. It would be nice if {p} supported the European language variant too.
Choose the language apart from the region | I like English menus and German dates. The language decides both today.
Right-to-left languages | Arabic texts are aligned to the left and full stops jump around.
Spell checking in two languages | My mails are half Dutch, half English, and all of it is underlined.
Language switch on the login page | Our cleaners speak nine languages, and the first page has one.
Translated e-mails | The app speaks Finnish to me, its mails do not. One language for both would be nice.
Gender-neutral wording in German | Texts address only men. Our works council has opinions on the language of {p}.
Crowd translation | A public project where people translate together would cover rare languages.
Plural forms in Polish | "1 tasks" looks careless, and Polish has three forms of it. It would be great if the language files of {p} supported plural forms.
`

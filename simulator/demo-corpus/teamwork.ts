export const collaboration = `
Real-time collaboration | Two of us cannot write in one document without one losing a paragraph. Live cursors would end that.
Edit together at the same time | "Locked by Marianne" is what I see all day. Please let several people type at once.
See who else is looking at the page | A row of faces in the corner would stop us from working on the same thing twice.
Suggest changes instead of making them | I edit other people's texts and want them to decide. Suggestion mode is how collaboration works with authors.
Track changes | Lawyers need to see each word that moved. Without it we go back to files by mail.
Comments on a selection | Comments hang at the bottom of the page, and nobody knows which sentence they mean.
Resolve comments | Forty old comments cover the text. Let me mark them as done and hide them.
Guest access for one document | A freelancer needs a single page, and I have to give her the whole workspace.
Version history with names | I can see that the text changed on Tuesday, but not by whom. Collaboration needs that.
Compare two versions | The history shows whole pages. I would like to see what differs.
Approval before publishing | Interns publish by accident. A second pair of eyes should be part of {p}.
Assign a comment to somebody | "Can somebody check this?" is answered by nobody.
Mention a group | Typing eleven names to reach the design team is not collaboration, it is a roll call.
Lock a finished page | The price list is final, and still a comma moves each week. A lock that only owners can open would be nice.
Follow another person's cursor | In remote lessons my pupils could see what I see.
Offline edits merged with live ones | Collaboration breaks when one of us is on a train.
Turn off presence | I would rather not have my boss see that I read this page at midnight.
Voice notes in comments | My feedback on a melody is hard to type. Could you add a microphone to comments?
Templates shared by the team | Each of us has a private copy, and all of them are old.
Read receipts for announcements | Safety instructions must be read by everyone, and I have to prove it.
Public link with comments | Reviewers without an account can read but not write. Let them leave a name and a remark.
Limit who can invite people | Our workspace grew by thirty unknown guests in a month.
! Collaboration cursor is pink | It matches my socks. No complaint.
! Page 7 shows the text of page 8 | Reload helps. Happened to three of us today.
`

export const bulkEditing = `
Bulk edit tags | Renaming a label on 300 items, one by one, was my whole Thursday.
Select several items with Shift | Shift and click selects a range on every computer since 1984.
Bulk move to another project | After the reorganisation 1,200 tickets sit in the wrong place. I wish there were a bulk action for that.
Bulk delete with a confirmation | Test data of five years should go, and I can delete twenty at a time.
Undo for bulk edits | One wrong click closed everything that we planned for spring. There was no way back.
Bulk assign | Somebody left the company and owns 85 open tasks. Hand them to another person in one step, please.
Edit cells like in a spreadsheet | Fill down, copy, paste. It is the bulk editing that everybody knows already.
Change dates in bulk | The launch moves by two weeks and with it each of forty deadlines.
Select all results of a search | The check box selects the page of 25 and not the 612 that I found.
Bulk edit on the phone | Holding an entry to select more of them would be natural.
Dry run for bulk changes | Show me what would happen before it does.
Bulk upload of pictures with names | The file name is the article number. It would be great if {p} matched them.
Merge duplicates in bulk | Four imports left each customer there four times.
Bulk edit custom fields | The menu offers status and owner, and nothing that we made ourselves.
`
